# SPDX-License-Identifier: MIT
"""Races of messages: receives with MPI_ANY_SOURCE that could have taken another message."""
