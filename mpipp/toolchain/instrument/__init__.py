# SPDX-License-Identifier: MIT
"""Compilation of programs with checks of their loads and stores."""
