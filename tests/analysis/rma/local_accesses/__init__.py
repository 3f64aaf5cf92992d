# SPDX-License-Identifier: MIT
"""Loads and stores of windows."""
