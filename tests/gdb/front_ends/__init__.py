# SPDX-License-Identifier: MIT
"""Front ends of gdb: interfaces of machines, a window, a terminal with colours."""
