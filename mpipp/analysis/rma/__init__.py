# SPDX-License-Identifier: MIT
"""Checks of one-sided communication: the findings of `mpipp.analysis.rma_engine`."""
