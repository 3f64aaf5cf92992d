# SPDX-License-Identifier: MIT
"""Lines, functions and variables at addresses of a process, by its debug information."""
