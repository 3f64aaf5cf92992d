# SPDX-License-Identifier: MIT
"""Reading and comparison of call histories while the program runs."""
