# SPDX-License-Identifier: MIT
"""MPI objects, datatypes and values as people and programs read them: text, trees, SVG, JSON."""
