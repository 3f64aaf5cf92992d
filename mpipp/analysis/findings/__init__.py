# SPDX-License-Identifier: MIT
"""Findings: their facts and parties, their order, and their text."""
