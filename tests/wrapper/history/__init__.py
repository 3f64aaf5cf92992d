# SPDX-License-Identifier: MIT
"""Records of requests, messages and collective calls."""
