# SPDX-License-Identifier: MIT
"""MPI calls under the wrapper: their records, and that the wrapper does not disturb them."""
