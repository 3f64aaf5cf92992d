# SPDX-License-Identifier: MIT
"""The pretty-printers, and the values that they hand to gdb."""
