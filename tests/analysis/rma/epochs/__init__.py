# SPDX-License-Identifier: MIT
"""Epochs, and what orders accesses in them."""
