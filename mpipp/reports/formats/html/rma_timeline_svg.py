# SPDX-License-Identifier: MIT
"""The picture of a conflict: a line for each process, with epochs and the missing order.

For a wrong call it shows the call and the epochs around it. Time runs downwards, but actions side
by side may happen at the same time. A row has one call of each process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mpipp.common.text.xml import escape
from mpipp.reports.findings_file import Lifelines, Point

_MOST = 20  # points
_LONGEST = 56  # characters of a line

# Pixels.
_CHARACTER, _LINE = 7.3, 16
_ROW, _TOP, _BELOW, _MARGIN = 62, 58, 30, 14
_GAP = 280  # distance between the lines of two processes
_LEFT = 172  # left of a single line, for the text about the missing order
_HEAD = 48  # left of a single line without that text
_AWAY = 16  # distance from a line to its texts
_EPOCH, _PENDING = 14, 6  # width of the boxes for epochs and for pending operations

_COLOURS = """\
.mpipp-lives text{{fill:{text}}} .mpipp-lives .back{{fill:{back};stroke:{frame}}}
.mpipp-lives .dim{{fill:{dim}}} .mpipp-lives .wrong{{fill:{red}}}
.mpipp-lives .life{{stroke:{dim}}} .mpipp-lives .head{{fill:{soft};stroke:{dim}}}
.mpipp-lives .epoch{{fill:{blue};stroke:{line}}} .mpipp-lives .pending{{fill:{red}}}
.mpipp-lives .point{{fill:{dim};stroke:{back}}} .mpipp-lives .access{{fill:{red};stroke:{back}}}
.mpipp-lives .edge{{stroke:{green}}} .mpipp-lives .tip{{fill:{green}}}
.mpipp-lives .missing{{stroke:{red}}} .mpipp-lives .end{{fill:{red}}}
.mpipp-lives .label{{fill:{back}}}
"""
_LIGHT = {
    "text": "#24292f",
    "back": "#fff",
    "frame": "#d0d7de",
    "soft": "#f6f8fa",
    "dim": "#57606a",
    "red": "#cf222e",
    "green": "#1a7f37",
    "blue": "#ddf4ff",
    "line": "#0969da",
}
_DARK = {
    "text": "#e6edf3",
    "back": "#0d1117",
    "frame": "#30363d",
    "soft": "#161b22",
    "dim": "#8b949e",
    "red": "#ff7b72",
    "green": "#3fb950",
    "blue": "#12233c",
    "line": "#58a6ff",
}
STYLE = (
    ".mpipp-lives{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\n"
    ".mpipp-lives .name{font-weight:bold} .mpipp-lives .life{stroke-dasharray:2 4}\n"
    ".mpipp-lives .edge,.mpipp-lives .missing{fill:none;stroke-width:2}\n"
    ".mpipp-lives .missing{stroke-dasharray:7 5} .mpipp-lives .point,.mpipp-lives .access"
    "{stroke-width:2}\n"
    f"{_COLOURS.format(**_LIGHT)}@media (prefers-color-scheme:dark){{\n"
    f"{_COLOURS.format(**_DARK)}}}"
)


class _Place(NamedTuple):
    x: float
    y: float


def svg(of: Lifelines) -> str:
    """The picture with its colours and background; "" if the data are invalid."""
    if not _makes_sense(of):
        return ""
    rows = _rows(of)
    single = len(of.lanes) == 1
    texts = [_texts(point) for point in of.points]
    widths = [
        max([0, *(len(line) for t, p in zip(texts, of.points) if p.lane == lane for line in t)])
        * _CHARACTER
        + _AWAY
        for lane in (0, 1)
    ]
    before = widths[0] if not single else _HEAD if _is_alone(of) else _LEFT
    left = _MARGIN + before + _EPOCH / 2
    lanes = [left, left + _GAP]
    right = left + widths[0] if single else lanes[1] + widths[1]
    bottom = _TOP + max(rows) * _ROW + 50
    width = max(right + _EPOCH / 2, len(of.wanted) * _CHARACTER + 40) + _MARGIN
    height = bottom + _BELOW
    places = [_Place(lanes[point.lane], _TOP + row * _ROW) for point, row in zip(of.points, rows)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mpipp-lives" role="img" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<style>{STYLE}</style>",
        f"<title>{escape(title(of))}</title><desc>{escape(described(of))}</desc>",
        f'<rect class="back" x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" '
        'rx="6"/>',
        *_lanes(of, lanes, bottom),
        *_bars(of.epochs, "epoch", _EPOCH, places, bottom, "an epoch"),
        *_bars(of.pending, "pending", _PENDING, places, bottom, "it is not complete"),
        *_edges(of, places),
        *(() if _is_alone(of) else _missing(of, places)),
    ]
    for number, (point, place) in enumerate(zip(of.points, places)):
        is_left = point.lane == 0 and not single
        parts += _point(texts[number], place, number in of.missing, is_left)
    parts += _legend(of, bottom + 16)
    return "\n".join([*parts, "</svg>\n"])


def title(of: Lifelines) -> str:
    """ "Timelines of rank 0 and rank 2: synchronization, and what is missing".

    For a single wrong call "Timeline of rank 0: epochs, and the error".
    """
    lanes = f"s of {' and '.join(of.lanes)}" if len(of.lanes) > 1 else f" of {of.lanes[0]}"
    what = "epochs, and the error" if _is_alone(of) else "synchronization, and what is missing"
    return f"Timeline{lanes}: {what}"


def _is_alone(of: Lifelines) -> bool:
    # Return whether the finding reports a single wrong call.
    return of.missing[0] == of.missing[1]


def described(of: Lifelines) -> str:
    """The picture as text, for readers who cannot see it."""
    found = []
    for lane, name in enumerate(of.lanes):
        calls = [
            ", ".join(filter(None, (_call(point), point.text)))
            for point in of.points
            if point.lane == lane
        ]
        found.append(f"{name}: {'; then '.join(calls)}.")
    calls = [_call(point) for point in of.points]
    found += [f"{calls[one]} happens before {calls[other]}." for one, other in of.edges]
    first, second = of.missing
    if _is_alone(of):
        ends = [
            f"from {calls[one]} {f'to {calls[end]}' if end >= 0 else 'on'}"
            for one, end in of.epochs
        ]
        found += [f"An epoch is open {end}." for end in ends]
        return " ".join([*found, f"Wrong is {calls[first]}; {of.wanted}."])
    found.append(f"Between {calls[first]} and {calls[second]}: {of.why}; {of.wanted}.")
    return " ".join(found)


def _call(point: Point) -> str:
    return f"{point.call} at {point.place}" if point.place else point.call


def _makes_sense(of: Lifelines) -> bool:
    number = len(of.points)
    spans = (*of.epochs, *of.pending)
    return (
        1 <= len(of.lanes) <= 2
        and 0 < number <= _MOST
        and all(0 <= point.lane < len(of.lanes) for point in of.points)
        and all(0 <= one < number and -1 <= other < number for one, other in spans)
        and all(0 <= one < number for both in (*of.edges, of.missing) for one in both)
    )


def _rows(of: Lifelines) -> list[int]:
    # Each point is below the earlier ones of its process; joint calls of processes are side by
    # side. The second access is drawn between the first access and its completion: this order is
    # possible.
    number = len(of.points)
    wanted = []
    for lane in range(len(of.lanes)):
        mine = [i for i in range(number) if of.points[i].lane == lane]
        wanted += [(one, other, True) for one, other in zip(mine, mine[1:])]
    together = [both for both in of.edges if _are_together(of, *both)]
    wanted += [(*both, True) for both in of.edges if both not in together]
    first, second = of.missing
    soft = [(*both, False) for one, other in together for both in ((one, other), (other, one))]
    soft.append((first, second, False))
    soft += [(second, end, True) for one, end in of.pending if one == first and end >= 0]
    for one, other, below in soft:
        if one != other and not _leads(other, one, [one for one in wanted if one[2]]):
            wanted.append((one, other, below))
    rows = [0] * number
    for _ in range(number):
        for one, other, below in wanted:
            rows[other] = max(rows[other], rows[one] + below)
    used = sorted(set(rows))
    return [used.index(row) for row in rows]


def _are_together(of: Lifelines, one: int, other: int) -> bool:
    return (other, one) in of.edges or of.points[one].call == of.points[other].call


def _leads(start: int, end: int, wanted: Sequence[tuple[int, int, bool]]) -> bool:
    reached = {start}
    for _ in wanted:
        reached |= {other for one, other, _ in wanted if one in reached}
    return end in reached


def _texts(point: Point) -> list[str]:
    return [_cut(line) for line in (point.call, point.place, point.text) if line]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _lanes(of: Lifelines, lanes: Sequence[float], bottom: float) -> Iterator[str]:
    for name, x in zip(of.lanes, lanes):
        width = len(name) * _CHARACTER + 2 * _AWAY
        yield f'<path class="life" d="M{x:g} 34V{bottom:g}"/>'
        yield (
            f'<rect class="head" x="{x - width / 2:g}" y="10" width="{width:g}" height="24" '
            f'rx="4"/><text class="name" x="{x:g}" y="26" text-anchor="middle">{escape(name)}'
            "</text>"
        )


def _bars(
    of: Sequence[tuple[int, int]],
    look: str,
    width: float,
    places: Sequence[_Place],
    bottom: float,
    title: str,
) -> Iterator[str]:
    for one, other in of:
        x, y = places[one]
        end = places[other].y if other >= 0 else bottom
        yield (
            f'<rect class="{look}" x="{x - width / 2:g}" y="{y:g}" width="{width:g}" '
            f'height="{max(0, end - y):g}" rx="3"><title>{title}</title></rect>'
        )


def _edges(of: Lifelines, places: Sequence[_Place]) -> Iterator[str]:
    for one, other in of.edges:
        first, second = of.points[one], of.points[other]
        text = f"{_call(first)} happens before {_call(second)}"
        yield f"<g><title>{escape(text)}</title>"
        yield from _arrow(places[one], places[other], "edge", "tip")
        yield "</g>"


def _arrow(start: _Place, end: _Place, look: str, tip: str) -> Iterator[str]:
    # A straight arrow from one line to the other.
    way = 1 if end.x > start.x else -1
    x, y, to_x, to_y = start.x + way * 11, start.y, end.x - way * 11, end.y
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5 or 1
    along, across = (to_x - x) / length, (to_y - y) / length
    back_x, back_y = to_x - 9 * along, to_y - 9 * across
    yield f'<path class="{look}" d="M{x:g} {y:g}L{back_x:.1f} {back_y:.1f}"/>'
    yield (
        f'<path class="{tip}" d="M{to_x:g} {to_y:g}L{back_x - 5 * across:.1f} '
        f'{back_y + 5 * along:.1f}L{back_x + 5 * across:.1f} {back_y - 5 * along:.1f}z"/>'
    )


def _missing(of: Lifelines, places: Sequence[_Place]) -> Iterator[str]:
    start, end = (places[number] for number in of.missing)
    yield f"<g><title>{escape(of.wanted)}</title>"
    if start.x != end.x:
        yield from _arrow(start, end, "missing", "end")
        middle, y = _free(of, places, start, end)
        y, anchor = y + 4, "middle"
    else:
        # A curve beside the line of one process.
        x, out = start.x - 11, start.x - 46
        yield (
            f'<path class="missing" d="M{x:g} {start.y:g}C{out:g} {start.y:g} {out:g} {end.y:g} '
            f'{x - 8:g} {end.y:g}"/>'
            f'<path class="end" d="M{x:g} {end.y:g}l-9 -5v10z"/>'
        )
        middle, y, anchor = start.x - 46, (start.y + end.y) / 2 + 4, "end"
    width = len(of.why) * _CHARACTER + 8
    left = middle - width / 2 if anchor == "middle" else middle - width + 4
    yield (
        f'<rect class="label" x="{left:g}" y="{y - 12:g}" width="{width:g}" height="{_LINE}"/>'
        f'<text class="wrong name" x="{middle:g}" y="{y:g}" text-anchor="{anchor}">'
        f"{escape(of.why)}</text></g>"
    )


def _free(of: Lifelines, places: Sequence[_Place], start: _Place, end: _Place) -> _Place:
    # The position on the arrow where its text is clear of other arrows.
    half = len(of.why) * _CHARACTER / 2 + 4
    others = [(places[one], places[other]) for one, other in of.edges]

    def at(way: tuple[_Place, _Place], x: float) -> float:
        (from_x, from_y), (to_x, to_y) = way
        return from_y + (to_y - from_y) * (x - from_x) / (to_x - from_x or 1)

    def clear(one: _Place) -> float:
        ends = (one.x - half, one.x, one.x + half)
        room = min([_LINE, *(abs(at(way, x) - one.y) for way in others for x in ends)])
        return room - abs(one.y - at((start, end), one.x)) / _ROW

    tried = [
        _Place(x, at((start, end), x) + down)
        for x in ((start.x + end.x) / 2 + aside for aside in (0, -30, 30))
        for down in (0, 24, -24, 44)
    ]
    return max(tried, key=clear)


def _point(texts: Sequence[str], place: _Place, is_access: bool, before: bool) -> Iterator[str]:
    size, look = (14, "access") if is_access else (10, "point")
    yield (
        f'<rect class="{look}" x="{place.x - size / 2:g}" y="{place.y - size / 2:g}" '
        f'width="{size}" height="{size}" rx="{size / 2:g}"/>'
    )
    x, anchor = (place.x - _AWAY, "end") if before else (place.x + _AWAY, "start")
    for number, line in enumerate(texts):
        look = "name" if number == 0 else "dim" if number == 1 else "wrong"
        yield (
            f'<text class="{look}" x="{x:g}" y="{place.y + 4 + number * _LINE:g}" '
            f'text-anchor="{anchor}">{escape(line)}</text>'
        )


def _legend(of: Lifelines, y: float) -> Iterator[str]:
    if _is_alone(of):
        yield (
            f'<rect class="access" x="{_MARGIN + 4}" y="{y - 11:g}" width="14" height="14" rx="7"/>'
        )
    else:
        yield f'<path class="missing" d="M{_MARGIN} {y - 4:g}h22"/>'
    yield f'<text class="wrong" x="{_MARGIN + 28}" y="{y:g}">{escape(of.wanted)}</text>'
