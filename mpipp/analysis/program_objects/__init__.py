# SPDX-License-Identifier: MIT
"""Checks of buffers against the program's own objects: variables and heap blocks."""
