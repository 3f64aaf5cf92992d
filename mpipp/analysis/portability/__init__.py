# SPDX-License-Identifier: MIT
"""Constructs that work here, and fail with another MPI library or on another machine."""
