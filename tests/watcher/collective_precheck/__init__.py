# SPDX-License-Identifier: MIT
"""Runs with `--strict`."""
