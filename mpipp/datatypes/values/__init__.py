# SPDX-License-Identifier: MIT
"""Decoding of a buffer's bytes as values, by its datatype."""
