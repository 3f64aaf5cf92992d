# SPDX-License-Identifier: MIT
"""Watched runs: `mpipp run --check`."""
