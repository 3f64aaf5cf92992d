# SPDX-License-Identifier: MIT
"""Numbers that are equal where calls agree, small enough to compare thousands of processes."""
