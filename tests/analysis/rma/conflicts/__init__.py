# SPDX-License-Identifier: MIT
"""Conflicts of one-sided operations."""
