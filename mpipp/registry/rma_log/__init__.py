# SPDX-License-Identifier: MIT
"""The log of one-sided communication, as events."""
