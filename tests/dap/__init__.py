# SPDX-License-Identifier: MIT
"""Tests of `mpipp dap`: a client of the protocol, a real gdb, and all ranks of a real job."""
