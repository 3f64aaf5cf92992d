# SPDX-License-Identifier: MIT
"""The conditions that a blocked call waits for, one module for each kind of call."""
