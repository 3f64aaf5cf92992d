# SPDX-License-Identifier: MIT
"""The Debug Adapter Protocol without a debugger."""
