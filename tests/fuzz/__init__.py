# SPDX-License-Identifier: MIT
"""Damage registries, and read them in every way: `python -m tests.fuzz`, or `make fuzz`."""
