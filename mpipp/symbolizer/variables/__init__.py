# SPDX-License-Identifier: MIT
"""Variables of a running process, and their types, from debug information (DWARF 5)."""
