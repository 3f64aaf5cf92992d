# SPDX-License-Identifier: MIT
"""The log of one-sided communication, decoded as events."""
