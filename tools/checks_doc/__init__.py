# SPDX-License-Identifier: MIT
"""Generated tables of docs/reference/checks."""
