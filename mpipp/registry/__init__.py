# SPDX-License-Identifier: MIT
"""Reads what the wrapper recorded in the application's memory, from wherever that memory is."""
