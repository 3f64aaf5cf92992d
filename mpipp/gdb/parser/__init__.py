# SPDX-License-Identifier: MIT
"""The parser of the arguments of commands."""
