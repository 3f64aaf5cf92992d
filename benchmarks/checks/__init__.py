# SPDX-License-Identifier: MIT
"""The cost of single checks."""
