# SPDX-License-Identifier: MIT
"""Views of all ranks in this gdb at once: stacks, values, states."""
