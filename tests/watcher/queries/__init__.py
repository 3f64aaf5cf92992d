# SPDX-License-Identifier: MIT
"""Calls that are checked before MPI has them."""
