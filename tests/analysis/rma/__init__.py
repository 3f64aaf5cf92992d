# SPDX-License-Identifier: MIT
"""Checks of one-sided communication: `--check=rma`."""
