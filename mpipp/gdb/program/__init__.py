# SPDX-License-Identifier: MIT
"""The program as gdb sees it: its memory, frames, types and registry."""
