# SPDX-License-Identifier: MIT
"""Tests of pure functions of `mpipp.ranks`."""
