# SPDX-License-Identifier: MIT
"""The front ends of the browser. A socket connects them to gdb (docs/howto/browse.md)."""
