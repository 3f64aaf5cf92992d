# SPDX-License-Identifier: MIT
"""The data of a finding for reports, beside its text: source, datatypes and memory of each party.

The data are collected as values for JSON while the program's records are readable. Pictures are
SVG.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Optional

from mpipp.analysis.findings.finding import Evidence
from mpipp.common.errors import MpippError
from mpipp.model import Buffer, DatatypeRecord
from mpipp.render import object_structs
from mpipp.render.memory_map import svg as map_svg
from mpipp.render.memory_map.map import drawn_map
from mpipp.render.print_settings import Limits
from mpipp.render.type_tree_svg import tree_svg
from mpipp.render.type_tree_text import meta_tree
from mpipp.symbolizer.source_frames import Sources

_MOST_BUFFERS = 4
_MOST_SHARES = 64  # parts of the buffer of a v or w call that are searched for datatypes
_MOST_LINES = 40  # lines of a tree that are shown
_LARGEST = 1 << 18  # characters of a picture
_LONGEST = 5.0  # seconds for all pictures of a run, because processes may wait meanwhile


class Taking:
    """Collects the data for the reports of one run: each source file once, and pictures in limited
    time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.sources = Sources()
        self._clock = clock
        self._left = _LONGEST

    def buffers(self, of: Evidence) -> list[dict[str, Any]]:
        """The communication buffers of a call, or the datatype of a finding."""
        found = []
        for role, datatype, count, address, mark in _buffers(of):
            begun = self._clock()
            found.append(_picture(role, datatype, count, address, mark, self._left > 0))
            self._left -= self._clock() - begun
        return found


_Drawn = tuple[str, DatatypeRecord, int, Optional[int], Optional[int]]


def _buffers(of: Evidence) -> list[_Drawn]:
    if isinstance(of.made, DatatypeRecord):
        return [("", of.made, 1, None, None)]
    found: list[_Drawn] = []
    for buffer in of.call.buffers if of.call is not None else ():
        # The place of a finished call is not recorded.
        over = of.call is not None and of.call.state == "over"
        address = None if over or "remote" in buffer.access else buffer.address
        mark = of.displacement if of.role == buffer.role else None
        found += ((buffer.role, *entries, address, mark) for entries in _entries(buffer))
    return found[:_MOST_BUFFERS]


def _entries(buffer: Buffer) -> Iterator[tuple[DatatypeRecord, int]]:
    # The buffer's datatype with its entries; for a v or w call, each different datatype of its
    # parts.
    if buffer.shares is None:
        if isinstance(buffer.datatype, DatatypeRecord):
            yield buffer.datatype, buffer.total_count
        return
    seen = set()
    try:
        shares = [buffer.share(i) for i in range(min(buffer.share_count, _MOST_SHARES))]
    except MpippError:  # the caller's arrays are unreadable
        return
    for share in shares:
        known = share.datatype
        if isinstance(known, DatatypeRecord) and known.header.record not in seen:
            seen.add(known.header.record)
            yield known, share.count


def _picture(
    role: str,
    datatype: DatatypeRecord,
    count: int,
    address: int | None,
    mark: int | None,
    in_time: bool,
) -> dict[str, Any]:
    tree = datatype.tree
    found: dict[str, Any] = {
        "role": role,
        "count": count,
        "datatype": object_structs.summary(datatype),
        "address": address,
        "in_time": in_time,
        "tree": [],
        "tree_svg": "",
        "map_svg": "",
    }
    if datatype.header.null or not in_time:
        return found
    try:
        found["tree"] = meta_tree(tree, limits=Limits(elements=_MOST_LINES))
        found["tree_svg"] = _small(tree_svg(tree)) if not tree.is_leaf else ""
        if mark is not None or not tree.is_leaf:
            found["map_svg"] = _small(map_svg.svg(drawn_map(tree, max(count, 0)), mark=mark))
    except MpippError:  # the record of the object is damaged
        pass
    return found


def _small(svg: str) -> str:
    return svg if len(svg) <= _LARGEST else ""
