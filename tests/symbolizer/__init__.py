# SPDX-License-Identifier: MIT
"""Lines, functions and variables of watched processes."""
