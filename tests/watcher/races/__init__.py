# SPDX-License-Identifier: MIT
"""Watched runs that look for races of messages."""
