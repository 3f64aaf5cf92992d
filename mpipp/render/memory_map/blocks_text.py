# SPDX-License-Identifier: MIT
"""The output of `mpipp blocks` and `mpipp overlap`, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mpipp.datatypes import memory
from mpipp.datatypes.memory.buffer_overlap import Buffer, Overlap
from mpipp.datatypes.memory.strided_sets import Comb, Listing
from mpipp.render import json_output
from mpipp.render.memory_map.map import MemoryMap, amount

_INDENT = "  "


def lines(of: MemoryMap, name: str, most: int) -> Iterator[str]:
    """The strided blocks, at most `most` of them (0: all), and the facts of the memory map."""
    of_count = f"{name}, {of.count} entries" if of.count != 1 else name
    comb = of.region.comb
    if comb is None:
        yield f"{of_count}: no data"
        return
    yield f"{of_count}: {amount(of.size)} of data in [{of.low}, {of.high})"
    yield from _blocks(comb, 0, _INDENT, most)
    yield from _facts(of, name)


def _blocks(comb: Comb, base: int, indent: str, most: int) -> Iterator[str]:
    # `base` is the displacement of the outer blocks.
    start = base + comb.start
    times = ", ".join(
        f"{count} times every {amount(stride)}"
        for count, stride in sorted(comb.dims, key=lambda dim: dim[1])
    )
    if comb.items is None:
        place = f"[{start}, {start + comb.length})"
        yield f"{indent}{place:<14} {amount(comb.length)}{', ' + times if times else ''}"
        return
    if times:
        yield f"{indent}{times}:"
        indent += _INDENT
    items = comb.items
    assert isinstance(items, Listing)
    parts = _parts(items)
    for part in parts[: most or None]:
        yield from _blocks(part, start, indent, most)
    if most and len(parts) > most:
        yield f"{indent}... {len(parts) - most} more"


def _parts(items: Listing) -> list[Comb]:
    blocks = [Comb(start, end - start) for start, end in zip(items.starts, items.ends)]
    return sorted([*blocks, *items.combs], key=lambda part: (part.low, part.high))


def _facts(of: MemoryMap, name: str) -> Iterator[str]:
    if of.runs is not None and of.touched is not None:
        holes = of.runs - 1
        text = "1 contiguous run" if of.runs == 1 else f"{of.runs} contiguous runs"
        if holes:
            some = "1 hole" if holes == 1 else f"{holes} holes"
            text += f", {some} of {amount(of.hole_bytes or 0)}{'' if holes == 1 else ' in all'}"
        yield f"runs        {text}"
    yield f"efficiency  {_efficiency(of)}"
    if of.misaligned is None:
        yield "alignment   every element is at a multiple of its alignment"
    else:
        yield (
            f"alignment   {name}{of.misaligned.path} at displacement "
            f"{of.misaligned.displacement} is not aligned"
        )
    yield f"overlap     {_overlap(of, name)}"


def _efficiency(of: MemoryMap) -> str:
    # The extents of the entries together are the memory that a program allocates for them.
    shares = [f"{_percent(of.size, of.true_extent)} of the true extent ({amount(of.true_extent)})"]
    if of.extent > 0:
        extents = "extent" if of.count == 1 else "extents"
        shares.append(f"{_percent(of.size, of.extent)} of the {extents} ({amount(of.extent)})")
    return ", ".join(shares)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if 1000 * part >= whole else "less than 0.1 %"


def _overlap(of: MemoryMap, name: str) -> str:
    if of.overlap:
        found = of.overlap
        both = " and ".join(
            f"{name}{element.path}" if element else "one of many elements"
            for element in (found.first, found.second)
        )
        return f"{both} share [{found.start}, {found.end}): receiving into them is erroneous"
    least = of.least_count_overlap
    none = "no two elements share a byte"
    return none if least is None else f"{none}; those of {least} entries do"


def content(of: MemoryMap, name: str, most: int) -> dict[str, Any]:
    """The data for `--json`, with at most `most` blocks in each list."""
    return {
        "datatype": name,
        "count": of.count,
        "size": of.size,
        "lb": of.lb,
        "extent": of.extent,
        "true_lb": of.low,
        "true_extent": of.true_extent,
        "blocks": None if of.region.comb is None else _block_content(of.region.comb, most),
        "touched": of.touched,
        "runs": of.runs,
        "holes": of.hole_bytes,
        "misaligned": of.misaligned and json_output.element(of.misaligned),
        "overlap": of.overlap and _overlap_content(of.overlap),
        "overlaps_from_count": of.least_count_overlap,
    }


def _block_content(comb: Comb, most: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "start": comb.start,
        "length": comb.length,
        "repeated": [{"count": count, "stride": stride} for count, stride in comb.dims],
    }
    if isinstance(comb.items, Listing):
        parts = _parts(comb.items)
        found["items"] = [_block_content(part, most) for part in parts[:most]]
        found["complete"] = len(parts) <= most
    return found


def _overlap_content(found: Overlap) -> dict[str, Any]:
    return {
        "start": found.start,
        "end": found.end,
        "first": found.first and json_output.element(found.first),
        "second": found.second and json_output.element(found.second),
    }


def overlap_lines(first: Buffer, second: Buffer, names: tuple[str, str]) -> Iterator[str]:
    """Describe the overlap of two buffers, and the elements that overlap."""
    found = memory.between(first, second)
    if found is None:
        yield f"no overlap: {_apart(first, second, names)}"
        return
    yield f"overlap: both have {_range(found.start, found.end)}"
    for name, buffer, element in zip(names, (first, second), (found.first, found.second)):
        if element is None:
            yield f"  {name}: too many of its elements interleave there to name one"
        else:
            at = buffer.address + element.displacement
            yield f"  {name}{element.path} at {at:#x}"


def _range(start: int, end: int) -> str:
    return f"[{start:#x}, {end:#x}), {amount(end - start)}"


def _apart(first: Buffer, second: Buffer, names: tuple[str, str]) -> str:
    one, other = (memory.region(b.datatype, b.count, b.address) for b in (first, second))
    for region, name in zip((one, other), names):
        if region.comb is None:
            return f"{name} has no data there"
    for which, before, after in (("first", one, other), ("second", other, one)):
        if before.high <= after.low:
            gap = after.low - before.high
            where = f"{amount(gap)} before the other begins" if gap else "where the other begins"
            return f"the {which} ends {where}, at {before.high:#x}"
    return "they interleave without sharing a byte"


def overlap_content(first: Buffer, second: Buffer, names: tuple[str, str]) -> dict[str, Any]:
    """The data for `--json`."""
    found = memory.between(first, second)
    sides = [
        {"datatype": name, "count": buffer.count, "buffer": buffer.address}
        for name, buffer in zip(names, (first, second))
    ]
    return {
        "first": sides[0],
        "second": sides[1],
        "overlap": found and _overlap_content(found),
    }
