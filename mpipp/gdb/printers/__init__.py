# SPDX-License-Identifier: MIT
"""The pretty-printers, and the values that they pass to gdb."""
