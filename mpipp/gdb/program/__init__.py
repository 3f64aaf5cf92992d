# SPDX-License-Identifier: MIT
"""What gdb knows of the program: its memory, frames, variables and types."""
