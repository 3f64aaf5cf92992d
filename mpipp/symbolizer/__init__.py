# SPDX-License-Identifier: MIT
"""Look-up of lines, functions and variables at addresses of a process, from debug information."""
