# SPDX-License-Identifier: MIT
"""Checks of calls on files: views, split collective calls, and pending operations."""
