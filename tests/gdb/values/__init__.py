# SPDX-License-Identifier: MIT
"""Handles, datatypes and buffers in gdb's output."""
