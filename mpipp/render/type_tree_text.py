# SPDX-License-Identifier: MIT
"""The type-tree as text, in its meta and expanded forms."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Union

from mpipp.datatypes.element_address import kind
from mpipp.datatypes.shapes import Blocks, Indices
from mpipp.render.datatype_structs import quoted
from mpipp.render.print_settings import DEFAULT_LIMITS, Limits
from mpipp.typetree import Datatype

_MOST_LISTED = 4  # numbers of a list in a line of the meta tree


def meta_tree(
    datatype: Datatype,
    annotate: Callable[[Datatype], str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> list[str]:
    """The meta type-tree, one line for each node, with its bounds in bytes.

    A datatype that occurs again is shown once, and later as #n. `annotate` returns a text for the
    end of a datatype's line. At most `limits.elements` lines are shown.
    """
    rows: list[tuple[str, Datatype | None]] = []
    numbers = shared(datatype)
    seen: set[Datatype] = set()
    pending: list[tuple[Datatype, str, str]] = [(datatype, "", "")]
    most = limits.elements or 1 << 62
    cut = False
    while pending and len(rows) < most:
        node, margin, label = pending.pop()
        number = f" #{numbers[node]}" if node in numbers else ""
        if node in seen and not node.is_leaf:
            rows.append((f"{margin}{label}{node.combiner}{number}, as above", None))
            continue
        rows.append((f"{margin}{label}{_title(node)}{number}", node))
        seen.add(node)
        shown = node.components[: most - len(rows)]  # there may be 10^5 components
        cut = cut or len(shown) < len(node.components)
        for block, component in reversed(list(enumerate(shown))):
            pending.append((component, margin + "  ", _block_label(node, block)))
    return _table(rows, annotate) + ["..."] * (cut or bool(pending))


def shared(datatype: Datatype) -> Mapping[Datatype, int]:
    """The derived datatypes that occur more than once in the tree, numbered from 1 in order."""
    counts: dict[Datatype, int] = {}
    pending = [datatype]
    while pending:
        node = pending.pop()
        if node in counts:
            counts[node] += 1
        else:
            counts[node] = 1
            pending.extend([c for c in reversed(node.components) if not c.is_leaf])
    repeated = [node for node, count in counts.items() if count > 1]
    return {node: number for number, node in enumerate(repeated, 1)}


def _title(node: Datatype) -> str:
    if node.combiner == "NAMED":
        return node.name
    arguments = ", ".join(
        f"{name} {_brief(value)}"
        for name, value in node.arguments.items()
        if not (node.combiner == "STRUCT" and name != "count") and name != "ndims"
    )
    name = f" {quoted(node.name)}" if node.name else ""
    return f"{node.combiner}{name}{' ' if arguments else ''}{arguments}"


def _brief(value: object) -> str:
    if not isinstance(value, tuple):
        return str(value)
    shown = ", ".join("DFLT" if item is None else str(item) for item in value[:_MOST_LISTED])
    return "{" + shown + (", ...}" if len(value) > _MOST_LISTED else "}")


def _block_label(node: Datatype, block: int) -> str:
    if node.combiner == "VALUE_INDEX":
        return f"{'index' if block else 'value'} at {node.shape.displacement((block,))}, "
    if node.combiner != "STRUCT":
        return ""
    length = node.arguments["blocklengths"][block]
    offset = node.arguments["displacements"][block]
    # The text for a list of blocks: their data are the members b0, b1, ...
    # (datatypes/values/views.py).
    member = f" = b{block}" if length and not node.components[block].is_marker else ""
    return f"[{block}]{member} at {offset}, {length} x "


def _table(
    rows: list[tuple[str, Datatype | None]], annotate: Callable[[Datatype], str] | None
) -> list[str]:
    lines = [("", "size", "lb", "extent", "true lb", "true extent", "")]
    for title, node in rows:
        if node is None:
            lines.append((title, "", "", "", "", "", ""))
            continue
        of = node.extents
        # The true bounds of a datatype without data have no meaning.
        true = (of.true_lb, of.true_extent) if of.size else ("", "")
        bounds = (of.size, of.lb, of.extent, *true)
        note = annotate(node) if annotate else ""
        size, lb, extent, true_lb, true_extent = map(str, bounds)
        lines.append((title, size, lb, extent, true_lb, true_extent, note))
    return _aligned(lines)


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    # The first and the last column are text, the others numbers.
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1])]
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers, row[-1]]).rstrip())
    return lines


def expanded_tree(datatype: Datatype, depth: int = 3, limits: Limits = DEFAULT_LIMITS) -> list[str]:
    """The expanded type-tree down to `depth` datatypes, one line for each branch.

    A line has the address index and the datatype. The first byte and the end of the data follow, as
    displacements from the start of the buffer. Equal branches with one stride share a line. At most
    `limits.elements` lines are shown.
    """
    most = limits.elements or None
    branches = _datatype_lines(datatype, "", 0, 0, depth)
    lines = list(itertools.islice(_in_order(branches), most))
    rows = [("", "from", "to", "")]
    rows += [(line.text, str(line.low), str(line.high), line.note) for line in lines]
    text = _aligned(rows)
    return [*text, "..."] if len(lines) == most else text


class _Line(NamedTuple):
    text: str
    low: int
    high: int
    note: str = ""


_Branches = Iterator[Union[_Line, "_Branches"]]


def _in_order(branches: _Branches) -> Iterator[_Line]:
    # Use a list as a stack, because the tree may be deeper than Python's recursion limit.
    pending = [branches]
    while pending:
        found = next(pending[-1], None)
        if found is None:
            pending.pop()
        elif isinstance(found, _Line):
            yield found
        else:
            pending.append(found)


def _datatype_lines(node: Datatype, label: str, base: int, level: int, depth: int) -> _Branches:
    # The line of `node` at displacement `base`, and its parts down to `depth` datatypes.
    below = "" if depth or node.is_leaf else _elements(node)
    low, high = (node.true_lb, node.true_ub) if node.element_count else (0, 0)
    yield _Line(f"{'  ' * level}{label}({kind(node)})", base + low, base + high, below)
    if depth and not node.is_leaf:
        yield _stage_lines(node, (), base, level + 1, depth - 1)


def _stage_lines(node: Datatype, prefix: Indices, base: int, level: int, depth: int) -> _Branches:
    # The branches of `node` below `prefix`. Only the first of equal branches is shown in full.
    margin = "  " * level
    shape = node.shape
    for group in _groups(node, prefix):
        first = (*prefix, group.first)
        component = shape.component(first)
        low, high = _box(node, first)
        label = f"[{group.first}]"
        if len(first) < shape.stages - 1 or not (component.is_leaf or len(first) == shape.stages):
            yield _Line(margin + label, base + low, base + high)
            yield _stage_lines(node, first, base, level + 1, depth)
        elif len(first) < shape.stages:
            count = shape.branching(first)
            what = f"{margin}{label}  {count} ({kind(component)})"
            yield _Line(what, base + low, base + high)
        elif component.is_leaf:
            yield _leaves(margin, group, component, base + low, base + high)
            continue
        else:
            start = base + shape.displacement(first)
            yield _datatype_lines(component, label, start, level, depth)
        if group.last > group.first:
            yield _rest(margin, group, base + low, base + high)


class _Group(NamedTuple):
    # The branches from first to last are equal, and lie `stride` bytes apart.
    first: int
    last: int
    stride: int


def _leaves(margin: str, group: _Group, leaf: Datatype, low: int, high: int) -> _Line:
    if group.first == group.last:
        return _Line(f"{margin}[{group.first}]({kind(leaf)})", low, high)
    text = f"{margin}[{group.first}] .. [{group.last}]({kind(leaf)})"
    reach = (group.last - group.first) * group.stride
    apart = f"{group.stride} apart"
    return _Line(text, low + min(0, reach), high + max(0, reach), apart)


def _rest(margin: str, group: _Group, low: int, high: int) -> _Line:
    # A line for the other branches of a group; the first one's data are [low, high).
    near = low + group.stride
    far = low + (group.last - group.first) * group.stride
    span = f"[{group.first + 1}]"
    note = "same shape"
    if group.last > group.first + 1:
        span += f" .. [{group.last}]"
        note += f", {high - low} bytes each, {group.stride} apart"
    return _Line(margin + span, min(near, far), max(near, far) + high - low, note)


def _groups(node: Datatype, prefix: Indices) -> Iterator[_Group]:
    shape = node.shape
    count = shape.branching(prefix)
    if not count:
        return
    if not isinstance(shape, Blocks):
        dimension, stride = shape.levels()[len(prefix)]
        if dimension.chunk == 1:
            yield _Group(0, count - 1, dimension.period * stride)
            return
        for first in range(0, count, dimension.chunk):
            yield _Group(first, min(first + dimension.chunk, count) - 1, stride)
    elif prefix:
        yield _Group(0, count - 1, shape.component(prefix).extent)
    else:
        yield from _block_groups(shape)


def _block_groups(shape: Blocks[Datatype]) -> Iterator[_Group]:
    # Groups of blocks with the same component and length at constant distance. Empty blocks are
    # left out.
    first, last, stride = 0, -1, 0
    like: tuple[Datatype, int] | None = None
    start = 0
    for block, (component, displacement, length) in enumerate(shape.blocks()):
        if (component, length) == like and (
            last == first or displacement - start == (block - first) * stride
        ):
            stride = stride if last > first else displacement - start
            last = block
            continue
        if like is not None and like[1]:
            yield _Group(first, last, stride)
        first = last = block
        start, stride, like = displacement, 0, (component, length)
    if like is not None and like[1]:
        yield _Group(first, last, stride)


def _box(node: Datatype, prefix: Indices) -> tuple[int, int]:
    # The first byte and the end of the data below `prefix`, from the start of `node`.
    shape = node.shape
    component = shape.component(prefix)
    at = shape.displacement(prefix)
    if not component.element_count:
        return at, at
    low = high = at
    for stage in range(len(prefix), shape.stages):
        inner = prefix + (0,) * (stage - len(prefix))
        count = shape.branching(inner)
        if not count:
            return at, at
        reach = shape.displacement((*inner, count - 1)) - shape.displacement((*inner, 0))
        low, high = low + min(0, reach), high + max(0, reach)
    return low + component.true_lb, high + component.true_ub


def _elements(node: Datatype) -> str:
    return f"{node.element_count} element{'s' * (node.element_count != 1)}"
