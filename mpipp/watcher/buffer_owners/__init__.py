# SPDX-License-Identifier: MIT
"""The search for the program's object that contains a buffer, once for each place of a call."""
