# SPDX-License-Identifier: MIT
"""The picture of who waits for whom as SVG: for a browser, a document, a bug report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from mpipp.checks.hangs import words
from mpipp.checks.hangs.picture import Group, named

# Pixels.
_CHARACTER, _LINE = 7.3, 17
_PADDING, _BETWEEN, _MARGIN = 10, 18, 16
_ARC, _MOST_ARC = 16, 200  # how far an arrow bends out, for each box that it passes
_MOST_TEXT = 100  # characters of a line

_COLOURS = {
    "stuck": ("#ffebe9", "#cf222e"),
    "behind": ("#fff1e5", "#bc4c00"),
    "waits": ("#fff8c5", "#9a6700"),
    "calls": ("#ddf4ff", "#0969da"),
    "computes": ("#dafbe1", "#1a7f37"),
    "ends": ("#f6f8fa", "#8c959f"),
    "missing": ("#ffffff", "#8c959f"),
}


def svg(drawn: Sequence[Group]) -> str:
    """The picture; it brings its own colours and background."""
    texts = [_cut(group.text) for group in drawn]
    heads = [_cut(f"{group.name}  {named(group)}") for group in drawn]
    width = max([20, *map(len, texts), *map(len, heads)]) * _CHARACTER + 2 * _PADDING
    height = 2 * _LINE + _PADDING
    tops = [_MARGIN + i * (height + _BETWEEN) for i in range(len(drawn))]
    bend = min(_MOST_ARC, _ARC * (len(drawn) + 1))
    whole = (width + 2 * _MARGIN + bend, _MARGIN + len(drawn) * (height + _BETWEEN))
    parts = [_head(*whole)]
    for group, head, text, top in zip(drawn, heads, texts, tops):
        parts += _box(group, head, text, top, width, height)
    parts += _arrows(drawn, tops, width, height)
    return "\n".join([*parts, "</svg>\n"])


def _head(width: float, height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" '
        'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="12">\n'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>\n'
        '<rect width="100%" height="100%" fill="#ffffff"/>'
    )


def _box(
    group: Group, head: str, text: str, top: float, width: float, height: float
) -> Iterator[str]:
    fill, stroke = _COLOURS[group.state]
    dashed = ' stroke-dasharray="4 3"' if group.state == "missing" else ""
    whole = f"{words.ranks(group.ranks)}: {group.text}"
    yield (
        f'<rect x="{_MARGIN}" y="{top:g}" width="{width:g}" height="{height:g}" rx="4" '
        f'fill="{fill}" stroke="{stroke}"{dashed}><title>{escape(whole)}</title></rect>'
    )
    x, first = _MARGIN + _PADDING, top + _LINE
    yield f'<text x="{x}" y="{first:g}" font-weight="bold">{escape(head)}</text>'
    yield f'<text x="{x}" y="{first + _LINE:g}">{escape(text)}</text>'


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
                f'<path d="M{right:g} {start:g}C{out:g} {start:g} {out:g} {end:g} {right:g} '
                f'{end:g}" fill="none" stroke="#57606a" marker-end="url(#tip)"/>'
            )


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 3] + "..."
