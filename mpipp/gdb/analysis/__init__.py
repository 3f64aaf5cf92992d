# SPDX-License-Identifier: MIT
"""The analyses of gdb's processes, as lines of text for the commands."""
