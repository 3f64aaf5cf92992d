# SPDX-License-Identifier: MIT
"""A buffer's values as text, in gdb's format of C arrays and structs.

The limits are gdb's print settings. There is one difference to gdb 13. The element limit counts the
scalars of the whole print, not of each innermost array, so that one print stays short.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mpipp.common.errors import UnreadableMemory
from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes.values.nodes import Node, RowPlan, characters, row_plan
from mpipp.datatypes.values.views import Array, Scalar, Struct, Text, View
from mpipp.render.nested_text import Walker
from mpipp.render.print_settings import (
    DEFAULT_LIMITS,
    Limits,
    characters_text,
    nested_text,
    string_text,
)
from mpipp.render.structure import Shown

_UNREADABLE = re.compile(r"<cannot read 0x[0-9a-f]+>")
_LONGEST_RUN = 1 << 16  # characters to read beyond the limit, to find the end of a run
# Bytes to read in a run of equal items: a sparse mapping may contain any number of them.
_LONGEST_ROWS = 1 << 30
_PIECE = 1 << 12  # items to write at once
_LONGEST_SLOW_RUNS = 1 << 16  # items to visit one by one beyond the limit, in one print
# An unreadable item counts as this many, because a debugger is slow to report it.
_UNREADABLE_COST = 1 << 5


def values_text(node: Node, limits: Limits = DEFAULT_LIMITS) -> str:
    """The values below `node` in gdb's format."""
    return _Printer(limits).text(node)


def flowing(node: Node, limits: Limits, write: Callable[[str], None]) -> str:
    """Like `values_text`, but write a long array in pieces while it is read. Returns the last
    piece."""
    return _Printer(limits, write).text(node)


class _Items(list[str]):
    # The items of an array so far. Only the last few may still be unwritten.

    def __init__(self, write: Callable[[str], None] | None) -> None:
        super().__init__()
        self._write = write
        self._before = "{"

    def append(self, item: str) -> None:
        super().append(item)
        if self._write is not None and len(self) > _PIECE:
            self._write(self._before + ", ".join(self))
            self._before = ", "
            self.clear()

    def text(self, more: str) -> str:
        return (self._before + ", ".join(self) if self or self._before == "{" else "") + more + "}"


class _Printer(Walker):
    # `left` is the number of values still allowed. `_beyond` is the number of items that may be
    # visited after that, to find the end of a run.

    def __init__(self, limits: Limits, write: Callable[[str], None] | None = None) -> None:
        super().__init__(limits)
        self._write = write
        self._beyond = _LONGEST_SLOW_RUNS

    def leaf(self, shown: Node, level: int) -> str | None:
        if shown.kind in ("array", "struct"):
            return None
        self.left -= 1
        try:
            return shown.text() if shown.kind == "scalar" else self._string(shown)
        except UnreadableMemory as error:
            return f"<cannot read {error.address:#x}>"

    def goes_on(self, done: int, named: bool) -> bool:
        return self.left > 0

    def _string(self, node: Node) -> str:
        limit = self.limits.elements
        if isinstance(node.view, Text) and node.count and not node.view.stride:
            return _repeated(node.characters(0, 1)[0], node.count, node.width, self.limits)
        # gdb counts a run to its end, also beyond the limit.
        codes = node.characters(0, limit + _LONGEST_RUN if limit else node.count)
        return characters_text(codes, node.count, node.width > 1, self.limits)

    def within(self, parts: Shown, level: int) -> str:
        assert isinstance(parts, Node)
        return super().within(parts, level) if parts.kind == "struct" else self._array(parts, level)

    def _array(self, node: Node, level: int) -> str:
        items = _Items(None if level else self._write)
        done = 0
        row = _row(node.view, level + 1, self.limits) if node.is_native else None
        if row is not None:
            done = self._regular_items(node, row, items)
        done = self._items(node, level, done, items)
        return items.text("..." if done < node.count else "")

    def _items(self, node: Node, level: int, done: int, items: list[str]) -> int:
        # Add the items from `done` on, one by one. Returns the number of items done.
        count = node.count
        ahead: tuple[str, int] | None = None
        cost = 1
        while done < count and self.left > 0 and (cost or self._beyond > 0):
            before = self.left
            if ahead is None or ahead[1] > before:
                text = self.text(node.child(done), level + 1)
                cost = before - self.left
            else:
                text, cost = ahead
            ahead = None
            run = 1
            if cost < before and isinstance(node.view, Array) and not (cost and node.view.stride):
                run = count - done  # all items lie at one address, or have no values
            while cost < before and done + run < count and self._beyond > 0:
                self._beyond -= _UNREADABLE_COST if "<cannot read" in text else 1
                self.left = before
                following = self.text(node.child(done + run), level + 1)
                if not _is_equal(text, following):
                    ahead = following, before - self.left
                    break
                run += 1
            if run <= self.limits.repeat_threshold and "<cannot read" in text:
                run, ahead = 1, None  # unreadable items differ in their addresses
            self.left = before
            done += self._emit(text, cost, run, items)
            if run > 1 and self._beyond <= 0:
                break  # the end of the run is too far away
        return done

    def _regular_items(self, node: Node, row: _RowFormat, items: list[str]) -> int:
        # Like `_items`, but decode many items at once. Stops at unreadable memory, and when the
        # limit leaves less than one item.
        assert isinstance(node.view, Array)
        stride = abs(node.view.stride)
        done = run = same = 0
        previous: tuple[object, ...] | None = None
        numbers: tuple[object, ...] = ()
        cost = len(row.plan.fields)
        try:
            for raw, decoded, copies in node.rows(row.plan, 0, node.count):
                if raw == previous:
                    run += copies
                    same += copies * stride
                    if same > _LONGEST_ROWS:
                        break
                    continue
                if previous is not None:
                    emitted = self._emit(row.text(previous, numbers), cost, run, items)
                    done += emitted
                    if emitted < run or self.left < cost:
                        return done
                previous, numbers, run = raw, decoded, copies
        except UnreadableMemory:
            pass
        if previous is not None:
            done += self._emit(row.text(previous, numbers), cost, run, items)
        if same > _LONGEST_ROWS:
            self.left = 0  # the end of the run is too far away
        return done

    def _emit(self, text: str, cost: int, run: int, items: list[str]) -> int:
        # Add `run` equal items, and return how many the limit allowed. A folded run costs
        # `repeats`, as in gdb.
        if run == 1:
            items.append(text)
            self.left -= cost
            return 1
        if run > self.limits.repeat_threshold:
            items.append(f"{text} <repeats {run} times>")
            self.left -= cost + self.limits.repeats - 1
            return run
        shown = 0
        while shown < run and (shown == 0 or self.left >= cost):
            items.append(text)
            self.left -= cost
            shown += 1
        return shown


@dataclass(frozen=True)
class _RowFormat:
    # The text of one item of a regular array, by a % template for its decoded fields.
    plan: RowPlan
    template: str
    plain: str  # the same template with only %s
    converters: tuple[Callable[[Any], str] | None, ...]
    slow: tuple[Callable[[Any], str], ...]
    direct: bool

    def text(self, raw: tuple[object, ...], decoded: tuple[object, ...]) -> str:
        if self.direct:
            text = self.template % decoded
        else:
            text = self.template % tuple(
                item if convert is None else convert(item)
                for convert, item in zip(self.converters, decoded)
            )
        if "nan" not in text:
            return text
        # The text of a NaN needs its raw bytes, for its sign and payload.
        return self.plain % tuple(convert(item) for convert, item in zip(self.slow, raw))


def _row(view: View, level: int, limits: Limits) -> _RowFormat | None:
    plan = row_plan(view)
    if plan is None or not isinstance(view, Array):
        return None
    template = _template(view.view, level, limits, plain=False)
    if template is None:
        return None
    plain = _template(view.view, level, limits, plain=True)
    assert plain is not None
    slow: list[Callable[[Any], str]] = []
    fast: list[Callable[[Any], str] | None] = []
    for field in plan.fields:
        slow.append(_converter(field, limits))
        direct = isinstance(field, Scalar) and field.leaf.format is not None
        fast.append(None if direct else slow[-1])
    return _RowFormat(plan, template, plain, tuple(fast), tuple(slow), not any(fast))


def _converter(field: Scalar | Text, limits: Limits) -> Callable[[Any], str]:
    if isinstance(field, Scalar):
        return field.leaf.text
    count, width = field.count, field.leaf.width

    def text(raw: bytes) -> str:
        return characters_text(characters(raw, width), count, width > 1, limits)

    return text


def _template(view: View, level: int, limits: Limits, plain: bool) -> str | None:
    # A % template for the text of an item; None if the text needs more than its leaf values: runs
    # to fold, or too many braces.
    if isinstance(view, Scalar):
        return "%s" if plain or view.leaf.format is None else view.leaf.format
    if isinstance(view, Text):
        return "%s"
    if level >= limits.deepest or (view.kind == "array" and view.count > limits.repeat_threshold):
        return None
    parts = []
    for i in range(view.count):
        part = _template(view.item(i)[0], level + 1, limits, plain)
        if part is None:
            return None
        parts.append(part)
    names = view.names if isinstance(view, Struct) else ()
    return nested_text(names, parts, "", level, limits.pretty)


def _repeated(code: int, count: int, width: int, limits: Limits) -> str:
    # Equal to `characters_text` for `count` equal characters, but without a list of them.
    runs = [(code, count if code else count - 1)] if count > 1 or code else []
    return string_text(runs, width > 1, limits)


def _is_equal(text: str, other: str) -> bool:
    if text == other:
        return True
    return "<cannot read" in text and _UNREADABLE.sub("", text) == _UNREADABLE.sub("", other)
