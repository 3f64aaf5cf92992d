# SPDX-License-Identifier: MIT
"""Calls on files: views, split collective calls, and what is pending meanwhile."""
