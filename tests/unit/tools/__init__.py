# SPDX-License-Identifier: MIT
"""Tests of the repository's tools."""
