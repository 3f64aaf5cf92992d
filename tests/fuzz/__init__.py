# SPDX-License-Identifier: MIT
"""Damaged registries, looked at in every way: `python -m tests.fuzz`, or `make fuzz`."""
