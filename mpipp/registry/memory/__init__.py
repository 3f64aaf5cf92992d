# SPDX-License-Identifier: MIT
"""Sources of bytes: a process, a core file, an interpreter of Python in it."""
