# SPDX-License-Identifier: MIT
"""Runs that stop in a wrong call, and open gdb."""
