# SPDX-License-Identifier: MIT
"""Sets of ranks, and data of many ranks merged into readable text. This package needs no gdb."""
