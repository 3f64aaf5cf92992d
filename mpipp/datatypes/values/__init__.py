# SPDX-License-Identifier: MIT
"""A buffer's bytes as values, by its datatype."""
