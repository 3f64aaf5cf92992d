# SPDX-License-Identifier: MIT
"""The arithmetic of datatypes against MPI's own."""
