# SPDX-License-Identifier: MIT
"""Events that repeat."""
