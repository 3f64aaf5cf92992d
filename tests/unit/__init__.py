# SPDX-License-Identifier: MIT
"""Tests of pure functions, without MPI and gdb."""
