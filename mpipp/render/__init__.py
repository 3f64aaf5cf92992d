# SPDX-License-Identifier: MIT
"""MPI objects, datatypes and values for people and programs: text, trees, SVG, JSON."""
