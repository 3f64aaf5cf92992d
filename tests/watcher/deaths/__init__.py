# SPDX-License-Identifier: MIT
"""Processes that die: their stacks and variables."""
