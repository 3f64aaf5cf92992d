# SPDX-License-Identifier: MIT
"""Epochs, and the order of accesses in them."""
