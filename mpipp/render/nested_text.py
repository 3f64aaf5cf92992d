# SPDX-License-Identifier: MIT
"""Something shown as one text with its parts in braces: `{a = 1, b = {2, 3...}}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpipp.render import structure
from mpipp.render.datatype_structs import Constant, quoted
from mpipp.render.print_settings import DEFAULT_LIMITS, Limits, nested_text
from mpipp.render.structure import Shown
from mpipp.typetree import Datatype

_UNLIMITED = 1 << 200


class Walker:
    """One print, as gdb prints a C struct; others derive from it, and say what they do otherwise.

    `left` is what remains of the limit of array elements.
    """

    more = "..."  # after what is shown of a longer list

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.deepest = limits.deepest
        self.left = limits.elements or _UNLIMITED

    def text(self, shown: Any, level: int = 0) -> str:
        """The text of what is `level` braces deep."""
        said = self.leaf(shown, level)
        if said is not None:
            return said
        parts = structure.normal(shown)
        if level >= self.deepest:
            return self.cut(structure.count(parts))
        return self.within(parts, level)

    def within(self, parts: Shown, level: int) -> str:
        """The text of what has parts, in its braces."""
        names, count = self.names(parts), structure.count(parts)
        items: list[str] = []
        while len(items) < count and self.goes_on(len(items), bool(names)):
            items.append(self.text(structure.raw(parts, len(items)), level + 1))
        more = self.more if len(items) < count else ""
        return nested_text(names, items, more, level, self.limits.pretty)

    def leaf(self, shown: Any, level: int) -> str | None:
        """The text of what has no parts to be shown; None for all else."""
        if isinstance(shown, Datatype):
            return shown.name if shown.combiner == "NAMED" else None
        if isinstance(shown, str):
            return shown if isinstance(shown, Constant) else quoted(shown)
        return str(shown) if isinstance(shown, int) else None

    def goes_on(self, done: int, named: bool) -> bool:
        """Return whether one more part is shown, after `done` of a struct's members or array's
        items.
        """
        if not named:
            self.left -= 1
        return named or self.left >= 0

    def names(self, parts: Shown) -> Sequence[str]:
        """The names of the parts; () if they have none."""
        return structure.names(parts)

    def cut(self, count: int) -> str:
        """The text in place of `count` parts that are too deep."""
        return "{...}"
