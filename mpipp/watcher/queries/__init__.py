# SPDX-License-Identifier: MIT
"""The answers to queries that processes send before a call."""
