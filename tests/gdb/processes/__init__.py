# SPDX-License-Identifier: MIT
"""Several processes, threads and core files in gdb."""
