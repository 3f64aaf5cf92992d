# SPDX-License-Identifier: MIT
"""Sources of bytes: a process, a core file, a Python interpreter in either."""
