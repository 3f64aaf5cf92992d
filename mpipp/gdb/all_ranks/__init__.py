# SPDX-License-Identifier: MIT
"""All ranks in this gdb at once: their stacks, their values, their states."""
