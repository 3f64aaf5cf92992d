# SPDX-License-Identifier: MIT
"""Watchers of several nodes: the results and votes that they exchange."""
