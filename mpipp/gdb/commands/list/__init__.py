# SPDX-License-Identifier: MIT
"""The command `mpipp list`."""
