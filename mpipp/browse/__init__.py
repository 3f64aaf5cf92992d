# SPDX-License-Identifier: MIT
"""The browser's front ends, outside gdb: they talk to it over a socket, see docs/browse.md."""
