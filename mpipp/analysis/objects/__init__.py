# SPDX-License-Identifier: MIT
"""Checks of objects over time: failed creations, foreign handles, growing numbers."""
