# SPDX-License-Identifier: MIT
"""Comparison of a datatype with a type of the program, element by element."""

from mpipp.program_types.compare.comparison import Cover, Lack, Problem, Report, compare
from mpipp.program_types.compare.typed_layout import (
    Layout,
    focused,
    narrowed,
    opened,
    several,
)

__all__ = [
    "Cover",
    "Lack",
    "Layout",
    "Problem",
    "Report",
    "compare",
    "focused",
    "narrowed",
    "opened",
    "several",
]
