# SPDX-License-Identifier: MIT
"""gdb's print settings, and its format of structs and strings."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text.sanitize import escape

_DEEPEST = 150  # levels of braces; Python's own recursion limit is not far beyond


@dataclass(frozen=True)
class Limits:
    """Limits from gdb's settings: `print elements` (0: unlimited), `print repeats` (0: never
    folded), `print max-depth` (-1: unlimited) and `print pretty`."""

    elements: int = 200
    repeats: int = 10
    max_depth: int = 20
    pretty: bool = False

    @property
    def repeat_threshold(self) -> int | float:
        """The length above which a run of equal items is folded: `<repeats N times>`."""
        return self.repeats or float("inf")

    @property
    def deepest(self) -> int:
        """Levels of braces to show before `{...}`."""
        return _DEEPEST if self.max_depth < 0 else min(self.max_depth, _DEEPEST)


DEFAULT_LIMITS = Limits()


def nested_text(
    names: Sequence[str], items: Sequence[str], more: str = "", level: int = 0, pretty: bool = False
) -> str:
    """Join printed items in braces, with `more` after the last one.

    Args:
        names: for a struct, the names of its members; else empty.
        level: the number of braces around them.
        pretty: whether each member gets a line of its own.
    """
    if not names:
        return "{" + ", ".join(items) + more + "}"
    members = [f"{name} = {item}" for name, item in zip(names, items)]
    if not pretty or not members:
        return "{" + ", ".join(members) + more + "}"
    margin = "\n" + "  " * level
    return "{" + margin + "  " + f",{margin}  ".join(members) + more + margin + "}"


def shortened(text: str, most: int) -> str:
    """Shorten a line to about `most` characters, only between two items: `{1, 2, ...}`.

    A line without such a place, for example a long name, stays whole.
    """
    if len(text) <= most:
        return text
    found = ""
    for end, closing in _ends_of_items(text):
        cut = f"{text[:end]}, ...{closing}"
        if found and len(cut) > most:
            return found
        found = cut
        if len(cut) > most:
            break
    return found or text


def _ends_of_items(text: str) -> Iterator[tuple[int, str]]:
    # Yield the end of each list item except the last, and the braces to close if the line is cut
    # there. Commas in quotes or brackets do not end an item.
    quote, deep, braces = "", 0, 0
    escaped = False
    for place, character in enumerate(text):
        if quote:
            if character == quote and not escaped:
                quote = ""
            escaped = character == "\\" and not escaped
        elif character in "\"'":
            quote = character
        elif character in "{}":
            braces += 1 if character == "{" else -1
        elif character in "([<>)]":
            deep = max(0, deep + (1 if character in "([<" else -1))
        elif not deep and text.startswith(", ", place):
            yield place, "}" * braces


def runs_of(codes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each run of equal characters: the character and its count."""
    return ((code, len(list(run))) for code, run in itertools.groupby(codes))


def characters_text(codes: Sequence[int], count: int, wide: bool, limits: Limits) -> str:
    """A text of `count` characters that begins with `codes`, without its terminator, as in gdb."""
    if count and len(codes) == count and codes[-1] == 0:
        return string_text(runs_of(codes[:-1]), wide, limits)
    return string_text(runs_of(codes), wide, limits, len(codes) < count)


def string_text(
    runs: Iterable[tuple[int, int]], wide: bool, limits: Limits, more: bool = False
) -> str:
    """Characters as a C string. Long runs are separate, as in gdb.

    `runs` may end at the limit of elements; `more` is true if other characters follow.
    """
    prefix = "L" if wide else ""
    pieces: list[str] = []
    quoted = ""
    shown = 0
    limit = limits.elements or float("inf")
    for code, run in runs:
        if shown >= limit:
            more = True
            break
        if not limits.repeats and run > limit - shown:
            more, run = True, int(limit - shown)
        shown += run
        if run > limits.repeat_threshold:
            if quoted:
                pieces.append(f'{prefix}"{quoted}"')
                quoted = ""
            pieces.append(f"{prefix}'{escape(code, chr(39))}' <repeats {run} times>")
        else:
            quoted += escape(code, '"') * run
    if quoted or not pieces:
        pieces.append(f'{prefix}"{quoted}"')
    return ", ".join(pieces) + ("..." if more else "")
