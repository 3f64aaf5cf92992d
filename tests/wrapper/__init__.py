# SPDX-License-Identifier: MIT
"""The records of the wrapper."""
