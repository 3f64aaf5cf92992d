# SPDX-License-Identifier: MIT
"""The browser's front ends, outside gdb: a socket connects them to it, see docs/howto/browse.md."""
