# SPDX-License-Identifier: MIT
"""Answers to the queries that processes send before a call."""
