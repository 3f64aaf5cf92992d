# SPDX-License-Identifier: MIT
"""The API for Python programs and notebooks, without a debugger."""
