# SPDX-License-Identifier: MIT
"""The commands, functions and settings of mpipp in gdb."""
