# SPDX-License-Identifier: MIT
"""Sets of ranks, and data of many ranks merged into readable text. It needs no gdb."""
