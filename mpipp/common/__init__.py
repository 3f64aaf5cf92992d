# SPDX-License-Identifier: MIT
"""Errors, paths, the cache and text: modules that any other may use."""
