# SPDX-License-Identifier: MIT
"""Checks for programs that need buffered messages or collective calls that do not synchronize."""
