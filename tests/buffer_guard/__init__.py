# SPDX-License-Identifier: MIT
"""Runs that guard the buffers of pending operations."""
