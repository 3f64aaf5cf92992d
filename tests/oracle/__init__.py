# SPDX-License-Identifier: MIT
"""The arithmetic of datatypes, compared with MPI's own."""
