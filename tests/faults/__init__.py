# SPDX-License-Identifier: MIT
"""Damaged registries, lack of memory, interrupts, sanitizers, other tools."""
