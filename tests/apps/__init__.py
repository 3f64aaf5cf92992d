# SPDX-License-Identifier: MIT
"""Real programs, with the wrapper and without."""
