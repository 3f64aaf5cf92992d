# SPDX-License-Identifier: MIT
"""Variables of a process that runs, and their types, from debug information (DWARF 5)."""
