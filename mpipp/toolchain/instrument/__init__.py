# SPDX-License-Identifier: MIT
"""Compiling programs so that the wrapper sees their accesses to memory."""
