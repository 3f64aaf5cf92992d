# SPDX-License-Identifier: MIT
"""Tests of `mpipp dap` with a protocol client, a real gdb, and all ranks of a real job."""
