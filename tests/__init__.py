# SPDX-License-Identifier: MIT
"""The tests; `tests.support` has what all of them use."""
