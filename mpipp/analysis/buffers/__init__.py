# SPDX-License-Identifier: MIT
"""Checks of communication buffers: overlaps, unmapped memory, use while an operation is pending."""
