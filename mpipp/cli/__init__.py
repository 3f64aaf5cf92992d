# SPDX-License-Identifier: MIT
"""The shell command `mpipp`."""
