# SPDX-License-Identifier: MIT
"""Checks of calls before MPI gets them."""
