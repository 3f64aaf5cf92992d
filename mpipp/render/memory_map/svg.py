# SPDX-License-Identifier: MIT
"""The memory map of a datatype as an SVG picture, for a notebook, a document or a browser.

The picture contains its colours, light and dark, and its background. Every element is a box with
its address, datatype and displacement as a tooltip.
"""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.common.text.xml import escape, quoted
from mpipp.render.memory_map.map import (
    Cell,
    Line,
    MemoryMap,
    Note,
    Row,
    amount,
    legend,
    lines,
    type_name,
)

_BYTE = 11  # width of a byte
_ROW, _LEADING = 20, 26  # height of a row, and distance between rows
_MARGIN = 14
_CHARACTER = 7  # width of a character of a label
_INDEX = 5.6  # width of a character in a box

_LIGHT = "#0969da #bc4c00 #1a7f37 #8250df #bf3989 #9a6700 #0e7490 #57606a".split()
_DARK = "#58a6ff #f0883e #3fb950 #bc8cff #f778ba #d29922 #39c5cf #8b949e".split()

_STYLE = """\
.mpipp-map{{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}}
.mpipp-map .back{{fill:#fff;stroke:#d0d7de}} .mpipp-map .hole{{fill:#eaeef2}}
.mpipp-map text{{fill:#24292f}} .mpipp-map .dim{{fill:#57606a}}
.mpipp-map .in{{fill:#fff;font-size:9px}}
.mpipp-map .twice{{fill:#cf222e}} .mpipp-map .bound{{stroke:#24292f;stroke-width:2}}
.mpipp-map .mark{{fill:none;stroke:#cf222e;stroke-width:3}}
{light}
@media (prefers-color-scheme:dark){{
.mpipp-map .back{{fill:#0d1117;stroke:#30363d}} .mpipp-map .hole{{fill:#21262d}}
.mpipp-map text{{fill:#e6edf3}} .mpipp-map .dim{{fill:#8b949e}} .mpipp-map .in{{fill:#0d1117}}
.mpipp-map .twice{{fill:#ff7b72}} .mpipp-map .bound{{stroke:#e6edf3}}
.mpipp-map .mark{{stroke:#ff7b72}}
{dark}
}}"""


def svg(of: MemoryMap, title: str = "", mark: int | None = None) -> str:
    """The picture, with `title` above it. The picture has at most some thousand shapes, however
    large the map.

    The element with the displacement `mark` gets a frame.
    """
    drawn = lines(of, mark)
    starts = [str(line.start) for line in drawn if isinstance(line, Row)]
    left = _MARGIN + _CHARACTER * max([3, *map(len, starts)]) + 10
    length = _drawn_length(of, drawn)
    parts = list(_head(of, title, left, length))
    top = 62 if starts else 48
    for line in drawn:
        parts += _line(of, line, legend(drawn), left, top)
        if isinstance(line, Row) and mark is not None:
            parts += _mark(line, mark, left, top)
        top += _LEADING
    parts += _legend(drawn, left, top + 8)
    width = max(left + length * _BYTE, _MARGIN + _CHARACTER * len(_facts(of, title))) + _MARGIN
    height = top + 30
    whole = "\n".join(parts)
    name = quoted(title or "memory map of an MPI datatype")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mpipp-map" role="img" aria-label={name} '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f"<style>{style()}</style>\n"
        f'<rect class="back" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>\n'
        f"{whole}\n</svg>\n"
    )


def style() -> str:
    """The colours of the pictures, light and dark, for a page with several of them."""
    light, dark = (
        " ".join(f".mpipp-map .t{i}{{fill:{colour}}}" for i, colour in enumerate(colours))
        for colours in (_LIGHT, _DARK)
    )
    return _STYLE.format(light=light, dark=dark)


def _drawn_length(of: MemoryMap, drawn: list[Line]) -> int:
    # Bytes in a row. A single row ends after its last group of eight with data.
    rows = [line for line in drawn if isinstance(line, Row)]
    if len(rows) != 1:
        return rows[0].length if rows else 64
    (row,) = rows
    used = max(of.high, of.lb + of.extent) - row.start
    return min(row.length, -(-max(used, 1) // 8) * 8)


def _head(of: MemoryMap, title: str, left: int, length: int) -> Iterator[str]:
    yield f'<text x="{_MARGIN}" y="24">{escape(_facts(of, title))}</text>'
    if of.region.comb is not None:
        for place in range(0, length, 8):
            x = left + place * _BYTE
            yield f'<text class="dim" x="{x}" y="50" font-size="10">+{place}</text>'


def _facts(of: MemoryMap, title: str) -> str:
    facts = f"{amount(of.size)} of data in [{of.low}, {of.high}), extent {of.extent}"
    return f"{title}: {facts}" if title else facts


def _line(of: MemoryMap, line: Line, letters: dict[str, str], left: int, top: int) -> Iterator[str]:
    if isinstance(line, Note):
        yield f'<text class="dim" x="{left}" y="{top + 14}">{escape(line.text)}</text>'
        return
    yield (f'<text class="dim" x="{left - 8}" y="{top + 14}" text-anchor="end">{line.start}</text>')
    low = max(line.start, min(of.low, of.lb))
    high = min(line.start + line.length, max(of.high, of.lb + of.extent))
    x = left + (low - line.start) * _BYTE
    yield (
        f'<rect class="hole" x="{x}" y="{top}" width="{(high - low) * _BYTE}" height="{_ROW}">'
        "<title>not touched</title></rect>"
    )
    for cell in line.cells:
        yield from _cell(cell, left + (cell.start - line.start) * _BYTE, top, list(letters))
    for name, place in (("lb", of.lb), ("ub", of.lb + of.extent)):
        if line.start <= place <= line.start + line.length:
            x = left + (place - line.start) * _BYTE
            yield (
                f'<line class="bound" x1="{x}" x2="{x}" y1="{top - 2}" y2="{top + _ROW + 2}">'
                f"<title>{name} at {place}</title></line>"
            )


def _cell(cell: Cell, x: int, top: int, names: list[str]) -> Iterator[str]:
    width = (cell.end - cell.start) * _BYTE - 1
    name = type_name(cell.element)
    colour = "twice" if cell.twice else f"t{names.index(name) % len(_LIGHT)}"
    yield (
        f'<rect class="{colour}" x="{x}" y="{top}" width="{width}" height="{_ROW}" rx="2">'
        f"<title>{escape(_tooltip(cell, name))}</title></rect>"
    )
    index = cell.element.short_path if cell.element and cell.begins else ""
    if index and len(index) * _INDEX + 4 <= width:
        yield f'<text class="in" x="{x + 3}" y="{top + 13}" pointer-events="none">{index}</text>'


def _mark(row: Row, mark: int, left: int, top: int) -> Iterator[str]:
    for cell in row.cells:
        if cell.element is not None and cell.element.displacement == mark:
            x, width = left + (cell.start - row.start) * _BYTE, (cell.end - cell.start) * _BYTE - 1
            yield (
                f'<rect class="mark" x="{x - 1}" y="{top - 2}" width="{width + 2}" '
                f'height="{_ROW + 4}" rx="3" pointer-events="none"/>'
            )


def _tooltip(cell: Cell, name: str) -> str:
    element = cell.element
    if element is None:
        return f"displacement {cell.start}: too many elements interleave here to name them"
    more = ", and another element" if cell.twice else ""
    return f"{element.path}{more}\n{name} at displacement {element.displacement}"


def _legend(drawn: list[Line], left: int, top: int) -> Iterator[str]:
    twice = any(cell.twice for line in drawn if isinstance(line, Row) for cell in line.cells)
    entries = [(f"t{i % len(_LIGHT)}", name) for i, name in enumerate(legend(drawn))]
    entries += [("twice", "more than one element")] if twice else []
    entries += [("hole", "not touched")] if entries else []
    x = left
    for colour, name in entries:
        yield f'<rect class="{colour}" x="{x}" y="{top}" width="12" height="12" rx="2"/>'
        yield f'<text x="{x + 18}" y="{top + 11}">{escape(name)}</text>'
        x += 18 + _CHARACTER * (len(name) + 3)
