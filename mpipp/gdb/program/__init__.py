# SPDX-License-Identifier: MIT
"""The program as gdb sees it: its memory, frames and types, and its registry."""
