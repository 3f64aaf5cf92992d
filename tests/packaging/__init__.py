# SPDX-License-Identifier: MIT
"""Tests of the files in packaging/."""
