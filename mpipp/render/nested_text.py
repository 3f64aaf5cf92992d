# SPDX-License-Identifier: MIT
"""Nested values as one text with braces: `{a = 1, b = {2, 3...}}`."""

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
    """A printer in the format of gdb's C structs. Subclasses change parts of it.

    `left` is the number of array elements that the limit still allows.
    """

    more = "..."  # ends a list that is not shown completely

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.deepest = limits.deepest
        self.left = limits.elements or _UNLIMITED

    def text(self, shown: Any, level: int = 0) -> str:
        """The text of a value inside `level` pairs of braces."""
        said = self.leaf(shown, level)
        if said is not None:
            return said
        parts = structure.normal(shown)
        if level >= self.deepest:
            return self.cut(structure.count(parts))
        return self.within(parts, level)

    def within(self, parts: Shown, level: int) -> str:
        """The text of a struct or array, in braces."""
        names, count = self.names(parts), structure.count(parts)
        items: list[str] = []
        while len(items) < count and self.goes_on(len(items), bool(names)):
            items.append(self.text(structure.raw(parts, len(items)), level + 1))
        more = self.more if len(items) < count else ""
        return nested_text(names, items, more, level, self.limits.pretty)

    def leaf(self, shown: Any, level: int) -> str | None:
        """The text of a value without parts; None for other values."""
        if isinstance(shown, Datatype):
            return shown.name if shown.combiner == "NAMED" else None
        if isinstance(shown, str):
            return shown if isinstance(shown, Constant) else quoted(shown)
        return str(shown) if isinstance(shown, int) else None

    def goes_on(self, done: int, named: bool) -> bool:
        """Return whether to show one more part, after `done` members of a struct or items of an
        array."""
        if not named:
            self.left -= 1
        return named or self.left >= 0

    def names(self, parts: Shown) -> Sequence[str]:
        """The names of the parts; () if they have none."""
        return structure.names(parts)

    def cut(self, count: int) -> str:
        """The text for a value with `count` parts that lies too deep."""
        return "{...}"
