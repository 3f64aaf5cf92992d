# SPDX-License-Identifier: MIT
"""Front ends of gdb: machine interfaces, a window, a terminal with colours."""
