# SPDX-License-Identifier: MIT
"""The commands that show all ranks at once."""
