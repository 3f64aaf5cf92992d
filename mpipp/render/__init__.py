# SPDX-License-Identifier: MIT
"""MPI objects, datatypes and values as text, trees, SVG and JSON."""
