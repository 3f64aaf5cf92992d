# SPDX-License-Identifier: MIT
"""What gdb tells browsers of datatypes, buffers and the process."""
