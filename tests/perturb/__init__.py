# SPDX-License-Identifier: MIT
"""Perturbed runs: `--provoke`."""
