# SPDX-License-Identifier: MIT
"""Checks of collective calls between processes: arguments, buffers, order (MPI-4.1, chapter 6)."""
