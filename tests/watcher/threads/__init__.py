# SPDX-License-Identifier: MIT
"""Calls of several threads, in watched runs."""
