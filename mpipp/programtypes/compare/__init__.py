# SPDX-License-Identifier: MIT
"""A datatype against the program's own type (`mpipp.programtypes.structs`), element by element."""

from mpipp.programtypes.compare.comparison import Cover, Lack, Problem, Report, compare
from mpipp.programtypes.compare.layout import Layout, focused, narrowed, opened, several

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
