# SPDX-License-Identifier: MIT
"""The gdb front end, word for word."""
