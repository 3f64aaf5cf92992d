# SPDX-License-Identifier: MIT
"""Tests of `mpipp debug`: a real gdb at a terminal, with all ranks of a real job."""
