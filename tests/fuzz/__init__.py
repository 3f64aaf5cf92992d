# SPDX-License-Identifier: MIT
"""Damaged registries, looked at in every way: `python -m fuzz`, or `make fuzz`."""
