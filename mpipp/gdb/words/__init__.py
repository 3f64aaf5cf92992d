# SPDX-License-Identifier: MIT
"""Reading what the user writes behind a command."""
