# SPDX-License-Identifier: MIT
"""Datatypes and values as text: everything a front end prints comes from here."""

from __future__ import annotations

from mpipp.show.members import Constant, Members, members
from mpipp.show.nested import handle_text
from mpipp.show.printing import Limits
from mpipp.show.trees import expanded_tree, meta_tree
from mpipp.show.valuetext import values_text

__all__ = [
    "Constant",
    "Limits",
    "Members",
    "expanded_tree",
    "handle_text",
    "members",
    "meta_tree",
    "values_text",
]
