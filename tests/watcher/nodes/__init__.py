# SPDX-License-Identifier: MIT
"""Runs on several nodes."""
