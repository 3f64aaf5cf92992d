# SPDX-License-Identifier: MIT
"""Errors, paths, the wrapper cache and text: the layer that every other layer may import."""
