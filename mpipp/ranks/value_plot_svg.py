# SPDX-License-Identifier: MIT
"""Values of ranks drawn as SVG: a bar or a row of cells for each rank, or a map of an array."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mpipp.common.text.svg_head import svg_head
from mpipp.common.text.xml import escape
from mpipp.ranks import value_plot
from mpipp.ranks.value_plot import Map, Scale
from mpipp.ranks.values import Value

# Pixels.
_CHARACTER, _LINE, _MARGIN, _BAR, _CELL = 7.3, 18, 16, 400, 10
_STYLE = """\
.mpipp-values{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.mpipp-values text{fill:#24292f} .mpipp-values .back{fill:#fff}
.mpipp-values .bar{fill:#0969da} .mpipp-values .odd{fill:#cf222e}
@media (prefers-color-scheme:dark){
.mpipp-values text{fill:#e6edf3} .mpipp-values .back{fill:#0d1117}
.mpipp-values .bar{fill:#58a6ff} .mpipp-values .odd{fill:#ff7b72}
}"""
_LOW, _HIGH = (68, 1, 84), (253, 231, 37)  # the colours of the minimum and the maximum


def svg(values: Sequence[Value], expression: str) -> str:
    """The picture. The picture contains its colours, light and dark, and its background."""
    if value_plot.are_scalars(values):
        parts, width, height = _bars(value_plot.bars(values))
    else:
        parts, width, height = _maps(values)
    head = svg_head("values", f"{expression} in all ranks", width, height, _STYLE)
    title = _text(_MARGIN, _MARGIN + 12, expression)
    return "\n".join([head, title, *parts, "</svg>\n"])


def _bars(found: Sequence[tuple[str, float]]) -> tuple[list[str], float, float]:
    whole = value_plot.scale([0.0, *(number for _, number in found)])
    left = _MARGIN + (max(len(name) for name, _ in found) + 1) * _CHARACTER
    parts = []
    for row, (name, number) in enumerate(found):
        y = _MARGIN + (row + 1) * _LINE
        is_odd = not math.isfinite(number)
        width = 4 if is_odd else whole.part(number) * _BAR
        parts.append(_text(_MARGIN, y + 12, name))
        parts.append(
            f'<rect class="{"odd" if is_odd else "bar"}" x="{left:g}" y="{y + 2:g}" '
            f'width="{width:g}" height="{_LINE - 4}"><title>{name}: {number:g}</title></rect>'
        )
        parts.append(_text(left + width + 6, y + 12, f"{number:.6g}"))
    return parts, left + _BAR + 100, _MARGIN * 2 + (len(found) + 1) * _LINE


def _maps(values: Sequence[Value]) -> tuple[list[str], float, float]:
    whole = value_plot.scale([number for value in values for number in value.numbers or ()])
    parts: list[str] = []
    top, right = _MARGIN + _LINE + 0.0, 0.0
    for drawn in value_plot.maps(values):
        if drawn.title:
            parts.append(_text(_MARGIN, top + 12, drawn.title))
            top += _LINE
        left = _MARGIN + (max(map(len, drawn.names), default=0) + 1) * _CHARACTER
        parts += _cells(drawn, left, top, whole)
        top += len(drawn.rows) * _CELL + _LINE
        right = max(right, left + max(map(len, drawn.rows), default=0) * _CELL)
    parts.append(_text(_MARGIN, top + 6, whole.text))
    return parts, max(right, 200) + _MARGIN, top + _LINE


def _cells(drawn: Map, left: float, top: float, whole: Scale) -> Iterator[str]:
    for row, (name, numbers) in enumerate(zip(drawn.names, drawn.rows)):
        y = top + row * _CELL
        if row % 2 == 0 or not drawn.title:
            yield _text(_MARGIN, y + _CELL - 1, name)
        for column, number in enumerate(numbers):
            is_odd = not math.isfinite(number)
            colour = 'class="odd"' if is_odd else f'fill="{_colour(number, whole)}"'
            yield (
                f'<rect {colour} x="{left + column * _CELL:g}" y="{y:g}" width="{_CELL}" '
                f'height="{_CELL}"><title>{escape(name)}: {number:g}</title></rect>'
            )


def _colour(number: float, whole: Scale) -> str:
    part = whole.part(number)
    channels = (round(low + part * (high - low)) for low, high in zip(_LOW, _HIGH))
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{escape(text)}</text>'
