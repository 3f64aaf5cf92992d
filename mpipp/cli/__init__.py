# SPDX-License-Identifier: MIT
"""The shell command `mpipp`: builds the wrapper, and starts programs and debuggers with it."""
