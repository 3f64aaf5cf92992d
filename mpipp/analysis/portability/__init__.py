# SPDX-License-Identifier: MIT
"""Checks for code that works here, and fails with another MPI library or on another machine."""
