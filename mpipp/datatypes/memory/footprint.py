# SPDX-License-Identifier: MIT
"""The bytes that a datatype touches, and the bytes that it touches twice.

The bytes are strided blocks (`strided_sets`), made from the components' without listing
repetitions, and kept with the datatype. A datatype that overlaps itself may be sent; a buffer that
overlaps itself must not be received into (MPI-4.1, sections 5.1.11 and 3.2.4). Displacements are in
bytes from the address of a buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

from mpipp.datatypes import predefined
from mpipp.datatypes.memory.bounded_sums import Term
from mpipp.datatypes.memory.intersection import doubled, meet, shared_by_two, touch
from mpipp.datatypes.memory.strided_sets import Comb, Range, comb, listing, repeat, union
from mpipp.datatypes.shapes import Blocks, Level
from mpipp.typetree import Datatype


class _Placed(NamedTuple):
    # Copies of a component: the first at `start`, repeated in `dims`.
    component: Datatype
    start: int
    dims: tuple[Term, ...]


class _Memory:
    # The data kept with a datatype: the bytes that one entry touches, and the bytes `own` that it
    # touches twice. For buffers of several entries: the largest count known not to overlap itself.
    # Also the smallest count known to overlap itself, with bytes that two entries share.

    __slots__ = ("most_without", "own", "touched", "with_bytes")

    def __init__(self, touched: Comb | None, own: Range | None) -> None:
        self.touched = touched
        self.own = own
        self.most_without = 1
        self.with_bytes: tuple[int, Range] | None = None


def touched(datatype: Datatype, count: int = 1) -> Comb | None:
    """Return the bytes of `count` entries at address 0; None if there are none."""
    return repeat(_memory(datatype).touched, ((count, datatype.extent),))


def self_overlap(datatype: Datatype, count: int = 1) -> Range | None:
    """Return bytes that two elements of `count` entries share, as (start, end), or None."""
    memory = _memory(datatype)
    if memory.own or count <= memory.most_without or memory.touched is None:
        return memory.own if count else None
    if memory.with_bytes and count >= memory.with_bytes[0]:
        return memory.with_bytes[1]
    found = _met(memory.touched, datatype.extent, 1, count - 1)
    if found is None:
        memory.most_without = count
        return None
    memory.with_bytes = found[1] + 1, found[0]
    return found[0]


def least_overlapping_count(datatype: Datatype) -> int | None:
    """Return the smallest count of entries that overlap; None if no count does."""
    memory = _memory(datatype)
    if memory.touched is None:
        return None
    if memory.own:
        return 1
    extent = datatype.extent
    length = memory.touched.high - memory.touched.low
    # Two entries whose distance exceeds the length of one cannot overlap, so larger counts add
    # nothing.
    apart = length // abs(extent) + 1 if extent else 1
    if self_overlap(datatype, apart + 1) is None:
        return None
    while memory.with_bytes and memory.most_without + 1 < memory.with_bytes[0]:
        self_overlap(datatype, (memory.most_without + memory.with_bytes[0]) // 2)
    assert memory.with_bytes
    return memory.with_bytes[0]


def _memory(datatype: Datatype) -> _Memory:
    # Components first and without recursion: a chain of constructors may be very long.
    pending = [datatype]
    while pending:
        node = pending[-1]
        unknown = [c for c in node.components if c.memory is None]
        if unknown:
            pending.extend(set(unknown))
            continue
        pending.pop()
        if node.memory is None:
            node.memory = _Memory(_leaf(node), None) if node.is_leaf else _derived(node)
    assert isinstance(datatype.memory, _Memory)
    return datatype.memory


def _bytes(component: Datatype) -> Comb | None:
    assert isinstance(component.memory, _Memory)
    return component.memory.touched


def _leaf(node: Datatype) -> Comb | None:
    if node.is_marker:
        return None
    if predefined.value_class(node.name) != "pair":
        return comb(0, node.size, ())
    value, index, offset = predefined.pair_layout(node.name, node.size)
    return union([comb(0, value, ()), comb(offset, index, ())])


def _derived(node: Datatype) -> _Memory:
    shape = node.shape
    if isinstance(shape, Blocks):
        return _dense_blocks(shape) or _listed_blocks(shape)
    placed = list(_placed(node.components[0], shape.levels()))
    parts = [repeat(_bytes(p.component), p.dims, p.start) for p in placed]
    own = _of_component(placed)
    for p, part in zip(placed, parts):
        base = _bytes(p.component)
        if own or base is None or part is None:
            continue
        own = _among_copies(base.shift(p.start), p.dims)
    if not own:
        own = next(
            filter(None, (touch(a, b) for a, b in combinations(filter(None, parts), 2))), None
        )
    return _Memory(parts[0] if len(parts) == 1 else union(parts), own)


def _placed(component: Datatype, levels: Sequence[Level]) -> Iterator[_Placed]:
    # Groups the copies of a component whose indices are regular.
    for pieces in product(*map(_pieces, levels)):
        start = sum(at for at, _ in pieces)
        dims = tuple(dim for _, dims in pieces for dim in dims)
        yield _Placed(component, start, dims)


def _pieces(level: Level) -> Iterator[tuple[int, tuple[Term, ...]]]:
    # Yields (start, dims) for the whole cycles of a dimension, and for an incomplete last cycle.
    dimension, stride = level
    cycles, rest = divmod(dimension.count, dimension.chunk)
    first, period = dimension.first * stride, dimension.period * stride
    if cycles:
        yield first, ((cycles, period), (dimension.chunk, stride))
    if rest:
        yield first + cycles * period, ((rest, stride),)


def _of_component(placed: Sequence[_Placed]) -> Range | None:
    # The bytes that the component itself touches twice, in its first copy.
    for component, start, dims in placed:
        if all(count for count, _ in dims):
            assert isinstance(component.memory, _Memory)
            if component.memory.own:
                return _moved(component.memory.own, start)
    return None


def _dense_blocks(shape: Blocks[Datatype]) -> _Memory | None:
    # The usual case of the indexed family: blocks without gaps, maybe millions of one component.
    if len(shape.components) != 1:
        return None
    component = shape.components[0]
    base = _bytes(component)
    if base is None or base.items or base.dims or component.extent != base.length:
        return None
    assert isinstance(component.memory, _Memory)
    if component.memory.own:
        return None
    start, size, unit = base.start, base.length, shape.unit
    starts = [displacement * unit + start for displacement in shape.displacements]
    if len(shape.lengths) == 1:
        length = shape.lengths[0] * size
        blocks = [(at, at + length) for at in starts if length]
    else:
        blocks = [(at, at + length * size) for at, length in zip(starts, shape.lengths) if length]
    own = doubled(blocks)
    return _Memory(listing({(): blocks}), own)


def _listed_blocks(shape: Blocks[Datatype]) -> _Memory:
    # The indexed family and struct. Blocks with equal component and length are computed only once.
    forms: dict[tuple[int, int], tuple[Comb | None, Range | None]] = {}
    blocks: dict[tuple[Term, ...], list[Range]] = {}
    copies: list[Comb] = []
    boxes: list[tuple[int, int, Comb, int]] = []
    own: Range | None = None
    for component, start, length in shape.blocks():
        key = id(component), length
        if key not in forms:
            forms[key] = _block_form(component, length)
        form, inside = forms[key]
        if form is None:
            continue
        if inside and not own:
            own = _moved(inside, start)
        if form.items is None:
            box = start + form.start, start + form.start + form.length
            blocks.setdefault(form.dims, []).append(box)
        else:
            copies.append(form.shift(start))
        boxes.append((start + form.low, start + form.high, form, start))
    if own is None:
        boxes.sort(key=lambda box: box[:2])
        if any(a[1] > b[0] for a, b in zip(boxes, boxes[1:])):
            own = shared_by_two(form.shift(start) for _, _, form, start in boxes)
    return _Memory(union(copies, blocks), own)


def _block_form(component: Datatype, length: int) -> tuple[Comb | None, Range | None]:
    # A block's bytes, and bytes that it touches twice, both relative to the block's displacement.
    assert isinstance(component.memory, _Memory)
    base = component.memory.touched
    if base is None or not length:
        return None, None
    dims = ((length, component.extent),)
    return repeat(base, dims), component.memory.own or _among_copies(base, dims)


def _among_copies(base: Comb, dims: tuple[Term, ...]) -> Range | None:
    # Returns bytes that two copies of `base` share, if it is repeated in `dims`. For each stride,
    # the search tests the copies whose indices differ in this dimension. The copies' indices for
    # narrower strides are arbitrary, and those for wider strides are equal.
    order = sorted((abs(stride), stride, count) for count, stride in dims if count > 1)
    if any(count <= 0 for count, _ in dims):
        return None
    reach = base.high - base.low
    narrower: list[Term] = []
    for width, stride, count in order:
        if width < reach:
            found = _met(base, stride, 1, count - 1, narrower)
            if found:
                return found[0]
        reach += width * (count - 1)
        narrower.append((count, stride))
    return None


def _met(
    base: Comb, stride: int, least: int, most: int, narrower: Sequence[Term] = ()
) -> tuple[Range, int] | None:
    # Returns bytes that `base` shares with a copy of it `least` to `most` strides away, and the
    # number of strides. The indices in the narrower dimensions may differ, too.
    shifts: list[Term] = [(most - least + 1, stride)]
    start = least * stride
    for count, step in narrower:
        shifts.append((2 * count - 1, step))
        start -= (count - 1) * step
    found = meet(base.shift(start), base, tuple(shifts))
    if found is None:
        return None
    where, indices = found
    # The first copy's index may be negative here. Then move both copies so that it is 0.
    for (count, step), index in zip(narrower, indices[1:]):
        where = _moved(where, max(0, count - 1 - index) * step)
    return where, indices[0] + least


def _moved(where: Range, by: int) -> Range:
    return where[0] + by, where[1] + by
