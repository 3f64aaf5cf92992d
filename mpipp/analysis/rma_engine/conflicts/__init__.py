# SPDX-License-Identifier: MIT
"""Concurrent accesses that must not be concurrent."""
