# SPDX-License-Identifier: MIT
"""The results and votes that watchers of several nodes exchange."""
