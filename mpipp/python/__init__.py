# SPDX-License-Identifier: MIT
"""mpipp in Python programs and notebooks, without a debugger."""
