# SPDX-License-Identifier: MIT
"""A datatype against the program's own type (`mpipp.structs`), element by element."""

from mpipp.compare.comparison import Cover, Lack, Problem, Report, compare
from mpipp.compare.layout import Layout, focused, narrowed, opened, several

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
