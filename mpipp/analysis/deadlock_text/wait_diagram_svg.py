# SPDX-License-Identifier: MIT
"""The wait-for graph as SVG: for a browser, a document, a bug report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.analysis.deadlock_text.wait_diagram import Group, named
from mpipp.common.text import wording
from mpipp.common.text.svg_head import svg_head
from mpipp.common.text.xml import escape

# Pixels.
_CHARACTER, _LINE = 7.3, 17
_PADDING, _BETWEEN, _MARGIN = 10, 18, 16
_ARC, _MOST_ARC = 16, 200  # pixels that an arrow bends out for each passed box; the maximum
_MOST_TEXT = 100  # characters of a line

# The colours of each state: fill and line, light and dark.
_COLOURS = {
    "stuck": ("#ffebe9", "#cf222e", "#3c1618", "#ff7b72"),
    "behind": ("#fff1e5", "#bc4c00", "#3d2211", "#f0883e"),
    "waits": ("#fff8c5", "#9a6700", "#332a0b", "#d29922"),
    "calls": ("#ddf4ff", "#0969da", "#12233c", "#58a6ff"),
    "polls": ("#ddf4ff", "#0969da", "#12233c", "#58a6ff"),
    "computes": ("#dafbe1", "#1a7f37", "#12301d", "#3fb950"),
    "ends": ("#f6f8fa", "#8c959f", "#161b22", "#6e7681"),
    "died": ("#f6f8fa", "#cf222e", "#161b22", "#ff7b72"),
    "missing": ("#ffffff", "#8c959f", "#0d1117", "#6e7681"),
}
_STYLE = """\
.mpipp-why{{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}}
.mpipp-why text{{fill:#24292f}} .mpipp-why .back{{fill:#fff}} .mpipp-why .tip{{fill:#57606a}}
.mpipp-why .name{{font-weight:bold}} .mpipp-why .missing{{stroke-dasharray:4 3}}
.mpipp-why .line{{fill:none;stroke:#57606a}}
{light}
@media (prefers-color-scheme:dark){{
.mpipp-why text{{fill:#e6edf3}} .mpipp-why .back{{fill:#0d1117}} .mpipp-why .tip{{fill:#8b949e}}
.mpipp-why .line{{stroke:#8b949e}}
{dark}
}}"""


def svg(drawn: Sequence[Group]) -> str:
    """Return the picture, with its own light and dark colours and background."""
    texts = [_cut(group.text) for group in drawn]
    heads = [_cut(f"{group.name}  {named(group)}") for group in drawn]
    width = max([20, *map(len, texts), *map(len, heads)]) * _CHARACTER + 2 * _PADDING
    height = 2 * _LINE + _PADDING
    tops = [_MARGIN + i * (height + _BETWEEN) for i in range(len(drawn))]
    bend = min(_MOST_ARC, _ARC * (len(drawn) + 1))
    whole = (width + 2 * _MARGIN + bend, _MARGIN + len(drawn) * (height + _BETWEEN))
    parts = [svg_head("why", "Wait-for graph", *whole, style())]
    for group, head, text, top in zip(drawn, heads, texts, tops):
        parts += _box(group, head, text, top, width, height)
    parts += _arrows(drawn, tops, width, height)
    return "\n".join([*parts, "</svg>\n"])


def style() -> str:
    """Return the CSS of the picture, for a page with several pictures."""

    def rules(first: int) -> str:
        return "\n".join(
            f".mpipp-why .{state}{{fill:{colours[first]};stroke:{colours[first + 1]}}}"
            for state, colours in _COLOURS.items()
        )

    return _STYLE.format(light=rules(0), dark=rules(2))


def _box(
    group: Group, head: str, text: str, top: float, width: float, height: float
) -> Iterator[str]:
    whole = f"{wording.ranks(group.ranks)}: {group.text}"
    yield (
        f'<g><rect class="{group.state}" x="{_MARGIN}" y="{top:g}" width="{width:g}" '
        f'height="{height:g}" rx="4"><title>{escape(whole)}</title></rect>'
    )
    x, first = _MARGIN + _PADDING, top + _LINE
    yield f'<text x="{x}" y="{first:g}" class="name">{escape(head)}</text>'
    yield f'<text x="{x}" y="{first + _LINE:g}">{escape(text)}</text></g>'


def _arrows(
    drawn: Sequence[Group], tops: Sequence[float], width: float, height: float
) -> Iterator[str]:
    places = {group.name: i for i, group in enumerate(drawn)}
    right = _MARGIN + width
    for i, group in enumerate(drawn):
        for name in group.to:
            j = places[name]
            start, end = tops[i] + height / 3, tops[j] + height * 2 / 3
            out = right + min(_MOST_ARC, _ARC * (abs(i - j) + 1))
            yield (
                f'<path class="line" d="M{right:g} {start:g}C{out:g} {start:g} {out:g} {end:g} '
                f'{right + 6:g} {end:g}"/>'
            )
            yield f'<path class="tip" d="M{right:g} {end:g}l8 -4v8z"/>'


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 3] + "..."
