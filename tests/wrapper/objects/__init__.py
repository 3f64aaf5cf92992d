# SPDX-License-Identifier: MIT
"""Records of datatypes, communicators and other objects."""
