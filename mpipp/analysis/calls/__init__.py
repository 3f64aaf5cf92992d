# SPDX-License-Identifier: MIT
"""Checks of one call of one process: arguments, handles, datatypes, leaks."""
