# SPDX-License-Identifier: MIT
"""A tree of stacks as SVG: callers on the left, and a box for the steps between two branches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text import wording
from mpipp.common.text.svg_head import svg_head
from mpipp.common.text.xml import escape
from mpipp.ranks import stack_tree
from mpipp.ranks.stack_tree import Branch, StackTree

# Pixels.
_CHARACTER, _LINE = 7.3, 17
_PADDING, _BETWEEN, _MARGIN, _GAP = 10, 14, 16, 48
_MOST_TEXT = 72  # characters in a line
_MOST_RANKS = 40

_STYLE = """\
.mpipp-stacks{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.mpipp-stacks text{fill:#24292f} .mpipp-stacks .back{fill:#fff}
.mpipp-stacks .ranks{font-weight:bold} .mpipp-stacks .line{fill:none;stroke:#57606a}
.mpipp-stacks .program{fill:#f6f8fa;stroke:#8c959f}
.mpipp-stacks .mpi{fill:#ddf4ff;stroke:#0969da}
.mpipp-stacks .library{fill:#fff8c5;stroke:#9a6700}
.mpipp-stacks .state{fill:#ffebe9;stroke:#cf222e}
@media (prefers-color-scheme:dark){
.mpipp-stacks text{fill:#e6edf3} .mpipp-stacks .back{fill:#0d1117}
.mpipp-stacks .line{stroke:#8b949e} .mpipp-stacks .program{fill:#161b22;stroke:#6e7681}
.mpipp-stacks .mpi{fill:#12233c;stroke:#58a6ff} .mpipp-stacks .library{fill:#332a0b;stroke:#d29922}
.mpipp-stacks .state{fill:#3c1618;stroke:#ff7b72}
}"""


@dataclass
class _Box:
    branch: Branch
    lines: list[str]
    depth: int
    top: float = 0
    below: list[_Box] = field(default_factory=list)

    @property
    def width(self) -> float:
        return max(map(len, self.lines)) * _CHARACTER + 2 * _PADDING

    @property
    def height(self) -> float:
        return len(self.lines) * _LINE + _PADDING


def svg(tree: StackTree) -> str:
    """The picture. The picture contains its colours, light and dark, and its background."""
    roots = [_box(branch, 0) for branch in stack_tree.branches(tree)]
    boxes = [box for root in roots for box in _every(root)]
    lefts = _lefts(boxes)
    bottom = _MARGIN + 0.0
    for root in roots:
        bottom = _place(root, bottom)
    right = max((lefts[box.depth] + box.width for box in boxes), default=0)
    parts = [svg_head("stacks", "Stacks of all ranks", right + _MARGIN, bottom, _STYLE)]
    for box in boxes:
        parts += _drawn(box, lefts)
    return "\n".join([*parts, "</svg>\n"])


def _box(branch: Branch, depth: int) -> _Box:
    number = wording.counted(stack_tree.count(branch.ranks), "rank")
    head = f"{number}: {stack_tree.runs(branch.ranks, _MOST_RANKS)}"
    below = [_box(one, depth + 1) for one in branch.below]
    return _Box(branch, [head, *map(_cut, branch.texts)], depth, below=below)


def _every(box: _Box) -> Iterator[_Box]:
    yield box
    for below in box.below:
        yield from _every(below)


def _lefts(boxes: Sequence[_Box]) -> list[float]:
    # The left edge of each column.
    widths: dict[int, float] = {}
    for box in boxes:
        widths[box.depth] = max(box.width, widths.get(box.depth, 0))
    lefts = [float(_MARGIN)]
    for depth in range(len(widths)):
        lefts.append(lefts[-1] + widths[depth] + _GAP)
    return lefts


def _place(box: _Box, top: float) -> float:
    # The top edge of the next box. A box lies beside its first branch.
    box.top = bottom = top
    for below in box.below:
        bottom = _place(below, bottom)
    return max(bottom, top + box.height + _BETWEEN)


def _drawn(box: _Box, lefts: Sequence[float]) -> Iterator[str]:
    left, kind = lefts[box.depth], box.branch.kind
    kind = stack_tree.MPI if kind == stack_tree.ARGUMENTS else kind
    ranks = wording.ranks(stack_tree.members(box.branch.ranks))
    whole = "\n".join([ranks, *box.branch.texts])
    yield (
        f'<g><rect class="{kind}" x="{left:g}" y="{box.top:g}" width="{box.width:g}" '
        f'height="{box.height:g}" rx="4"><title>{escape(whole)}</title></rect>'
    )
    for number, line in enumerate(box.lines):
        style = "" if number else ' class="ranks"'
        y = box.top + (number + 1) * _LINE
        yield f'<text x="{left + _PADDING:g}" y="{y:g}"{style}>{escape(line)}</text>'
    yield "</g>"
    for below in box.below:
        start, end = box.top + _LINE, below.top + _LINE
        right, to = left + box.width, lefts[below.depth]
        middle = (right + to) / 2
        yield (
            f'<path class="line" d="M{right:g} {start:g}C{middle:g} {start:g} '
            f'{middle:g} {end:g} {to:g} {end:g}"/>'
        )


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 3] + "..."
