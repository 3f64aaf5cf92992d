# SPDX-License-Identifier: MIT
"""Type signatures as short text: `1000000000 x {MPI_INT, MPI_DOUBLE}`.

The form is the regular typesig of Umpire and MUST: the run-length list in which equal neighboring
windows are summarised, the narrowest first, repeatedly.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Iterator
from typing import Any, Optional, TypeVar

from mpipp.datatypes.signatures.runlength import Items, Node, Signature

_MOST_ITEMS = 100_000  # items of one list; the rest is left out
_WORK = 3_000_000  # comparisons of items for one list
_DEEPEST = 200  # levels of nested plain data; deeper data would be hard to read

Found = TypeVar("Found")
# A generator for one list of items. The generator yields the items of each part inside, receives
# the result for that part, and returns the result for the whole list.
Visit = Generator[Items, Optional[Found], Found]


def text(signature: Signature, most: int = 0) -> str:
    """Return the signature with at most `most` basic types (0: all); `...` stands for the rest."""
    room = _Room(most)
    return _visited(_items(signature), lambda items, depth: _text(items, room))


def entries(signature: Signature, most: int = 0) -> tuple[list[dict[str, Any]], bool]:
    """Return the regular form as plain data, and whether it is complete.

    An entry has `count` and `type`, or `count` and the `entries` of the repetition. At most `most`
    entries with a type are returned. Entries nested too deeply are left out, with all after them.
    """
    room = _Room(most)
    found = _visited(_items(signature), lambda items, depth: _entries(items, depth, room))
    return found, not room.full


def _visited(items: Items, visit: Callable[[Items, int], Visit[Found]]) -> Found:
    # Runs the generators with a stack of its own, because parts may be nested deeper than Python
    # functions.
    visits = [visit(items, 0)]
    found: Found | None = None
    while True:
        try:
            inner = visits[-1].send(found)
        except StopIteration as end:
            visits.pop()
            found = end.value
            if not visits:
                return end.value  # type: ignore[no-any-return]
        else:
            visits.append(visit(inner, len(visits)))
            found = None


class _Room:
    # Counts the entries that are shown.

    def __init__(self, most: int) -> None:
        self._left = most or 1 << 62
        self.full = False  # whether something was left out

    def take(self) -> bool:
        """Count one more entry, and return whether it may be shown."""
        self._left -= 1
        self.full = self.full or self._left < 0
        return not self.full


def _text(items: Items, room: _Room) -> Visit[str]:
    # The text of these items; "" if not even the first one may be shown.
    parts: list[str] = []
    for item in items:
        kind, inner, count = _opened(*item)
        what = (yield inner) if inner else kind if room.take() else ""
        if what:
            parts.append(what if count == 1 else f"{count} x {what}")
        if room.full:
            break
    if items and not parts:
        return ""
    whole = ", ".join(parts) + "..." * (len(parts) < len(items))
    return whole if len(items) == 1 else "{" + whole + "}"


def _entries(items: Items, depth: int, room: _Room) -> Visit[list[dict[str, Any]]]:
    found: list[dict[str, Any]] = []
    for item in items:
        kind, inner, count = _opened(*item)
        if inner and depth == _DEEPEST:
            room.full = True
            found.append({"count": count, "entries": []})
        elif inner:
            inside = yield inner
            if inside:
                found.append({"count": count, "entries": inside})
        elif room.take():
            found.append({"count": count, "type": kind})
        if room.full:
            break
    return found


def _opened(node: Node, count: int) -> tuple[str, Items, int]:
    # The basic type, or else the items of a part, and the number of copies.
    while isinstance(node, Signature):
        inner = _items(node)
        if len(inner) != 1:
            return "", inner, count
        node, copies = inner[0]
        count *= copies
    return node.kind, (), count


def _items(signature: Signature) -> Items:
    # The items of one level of the regular form.
    items = []
    for item in _flat(signature):
        items.append(item)
        if len(items) > _MOST_ITEMS:
            return tuple(items)
    merged: list[tuple[Node, int]] = []
    for node, count in items:
        if merged and merged[-1][0] is node:
            merged[-1] = node, merged[-1][1] + count
        else:
            merged.append((node, count))
    return _summarised(tuple(merged))


def _flat(signature: Signature) -> Iterator[tuple[Node, int]]:
    # Items; a part that occurs once is replaced by its items.
    pending = [iter(signature.items)]
    while pending:
        for node, count in pending[-1]:
            if count == 1 and isinstance(node, Signature):
                pending.append(iter(node.items))
                break
            yield node, count
        else:
            pending.pop()


def _summarised(items: Items) -> Items:
    # Algorithm 1 of "Scalable usage checking", for windows of up to half of the list.
    groups: dict[Items, Signature] = {}
    work = 0
    window = 2
    while 2 * window <= len(items) and work < _WORK:
        work += len(items)
        shorter = _windows(items, window, groups)
        window = window + 1 if len(shorter) == len(items) else 2
        items = shorter
    return items


def _windows(items: Items, window: int, groups: dict[Items, Signature]) -> Items:
    # Replaces equal neighboring windows by one window with a count.
    same = bytes(map(operator.eq, items, items[window:]))
    needle = b"\1" * window
    start = same.find(needle)
    if start < 0:
        return items
    result: list[tuple[Node, int]] = []
    done = 0
    while start >= 0:
        end = same.find(b"\0", start)
        run = (len(same) if end < 0 else end) - start
        copies = run // window + 1
        body = items[start : start + window]
        result += items[done:start]
        result.append((groups.setdefault(body, Signature(body)), copies))
        done = start + copies * window
        start = same.find(needle, done)
    return (*result, *items[done:])
