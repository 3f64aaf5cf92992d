# SPDX-License-Identifier: MIT
"""The exact output of the gdb front end."""
