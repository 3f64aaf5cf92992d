# SPDX-License-Identifier: MIT
"""Calls of MPI under the wrapper: what is recorded of them, and that none is disturbed."""
