# SPDX-License-Identifier: MIT
"""The parser of the words behind a command."""
