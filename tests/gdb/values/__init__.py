# SPDX-License-Identifier: MIT
"""Handles, datatypes and buffers as gdb prints them."""
