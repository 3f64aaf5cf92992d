# SPDX-License-Identifier: MIT
"""Something shown as one text with its parts in braces: `{a = 1, b = {2, 3...}}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpipp.show import structure
from mpipp.show.members import Constant, quoted
from mpipp.show.printing import DEFAULT_LIMITS, Limits
from mpipp.show.structure import Shown
from mpipp.typetree import Datatype


class Walker:
    """One print, as gdb prints a C struct; others derive from it, and say what they do otherwise.

    `left` is what remains of the limit of array elements.
    """

    more = "..."  # after what is shown of a longer list

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.deepest = limits.deepest
        self.left = limits.elements or float("inf")

    def text(self, shown: Any, level: int = 0) -> str:
        """The text of what is `level` braces deep."""
        said = self.leaf(shown, level)
        if said is not None:
            return said
        parts = structure.normal(shown)
        count = structure.count(parts)
        if level >= self.deepest:
            return self.cut(count)
        names = self.names(parts)
        items: list[str] = []
        while len(items) < count and self.goes_on(len(items), bool(names)):
            items.append(self.text(structure.raw(parts, len(items)), level + 1))
        if names:
            items = [f"{name} = {item}" for name, item in zip(names, items)]
        return "{" + ", ".join(items) + (self.more if len(items) < count else "") + "}"

    def leaf(self, shown: Any, level: int) -> str | None:
        """The text of what has no parts to be shown; None for all else."""
        if isinstance(shown, Datatype):
            return shown.name if shown.combiner == "NAMED" else None
        if isinstance(shown, str):
            return shown if isinstance(shown, Constant) else quoted(shown)
        return str(shown) if isinstance(shown, int) else None

    def goes_on(self, done: int, named: bool) -> bool:
        """Whether one more part is shown, after `done` of a struct's members or array's items."""
        if not named:
            self.left -= 1
        return named or self.left >= 0

    def names(self, parts: Shown) -> Sequence[str]:
        """What the parts are called; () if they are not named."""
        return structure.names(parts)

    def cut(self, count: int) -> str:
        """What stands for `count` parts that are too deep."""
        return "{...}"
