# SPDX-License-Identifier: MIT
"""Tools of the repository."""
