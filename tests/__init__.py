# SPDX-License-Identifier: MIT
"""The tests. `tests.support` contains their common code."""
