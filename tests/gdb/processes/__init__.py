# SPDX-License-Identifier: MIT
"""Several processes, threads and cores in gdb."""
