# SPDX-License-Identifier: MIT
"""The loops of a function, in the text of LLVM's intermediate language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_LABEL = re.compile(r'("[^"]*"|[\w.$-]+):')
_TARGET = re.compile(r'label %("[^"]*"|[\w.$-]+)')
_END = re.compile(
    r"  (?:\S+ = )?(?:br|switch|ret|unreachable|invoke|callbr|indirectbr|resume|catchswitch"
    r"|catchret|cleanupret)\b"
)


@dataclass
class Block:
    """Lines between two labels; the first of them is its own label, but in a function's first.

    Attributes:
        name: of the label; empty in a function's first.
        lines: the text.
        after: positions of the blocks that it may go to.
        before: of those that it comes from.
    """

    name: str
    lines: list[str] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)

    def end(self) -> int:
        """Position of the line that leads to other blocks."""
        ends = [i for i, line in enumerate(self.lines) if _END.match(line)]
        return ends[-1] if ends else len(self.lines)


@dataclass
class Loop:
    """A natural loop with one block that goes back.

    Attributes:
        header: position of the block that it begins with.
        latch: of that which goes back.
        entry: of the only block outside that leads there.
        body: of all its blocks.
        always: of those that each turn leads through.
        outer: the next loop around it that is one of these; None.
    """

    header: int
    latch: int
    entry: int
    body: frozenset[int]
    always: frozenset[int]
    outer: Loop | None = None


def blocks(lines: Sequence[str]) -> list[Block]:
    """The blocks of a function's text: its first line, the blocks' own, and `}`."""
    found = [Block("")]
    for line in lines[1:-1]:
        label = _LABEL.match(line)
        if label:
            found.append(Block(label[1]))
        found[-1].lines.append(line)
    places = {block.name: i for i, block in enumerate(found)}
    for i, block in enumerate(found):
        names = [name for line in block.lines for name in _TARGET.findall(line)]
        block.after = sorted({places[name] for name in names if name in places})
        for to in block.after:
            found[to].before.append(i)
    return found


def loops(found: Sequence[Block]) -> list[Loop]:
    """Inner ones before those around them."""
    order = _order(found)
    above = _dominators(found, order)
    backward: dict[int, list[int]] = {}
    for latch in order:
        for header in found[latch].after:
            if _is_above(above, header, latch):
                backward.setdefault(header, []).append(latch)
    result = []
    for header, latches in backward.items():
        body = _body(found, header, latches)
        entries = [i for i in found[header].before if i not in body and i in above]
        if len(latches) == 1 and len(entries) == 1:
            always = frozenset(one for one in body if _is_above(above, one, latches[0]))
            result.append(Loop(header, latches[0], entries[0], body, always))
    result.sort(key=lambda loop: len(loop.body))
    for i, loop in enumerate(result):
        around = (other for other in result[i + 1 :] if loop.body < other.body)
        loop.outer = next(around, None)
    return result


def _order(found: Sequence[Block]) -> list[int]:
    # Reverse postorder.
    done: list[int] = []
    seen = {0}
    stack: list[tuple[int, Iterable[int]]] = [(0, iter(found[0].after))]
    while stack:
        at, rest = stack[-1]
        following = next((to for to in rest if to not in seen), None)
        if following is None:
            done.append(at)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(found[following].after)))
    return done[::-1]


def _dominators(found: Sequence[Block], order: Sequence[int]) -> dict[int, int]:
    # For each block the nearest block on all paths to it.
    rank = {block: i for i, block in enumerate(order)}
    above = {0: 0}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [one for one in found[block].before if one in above]
            now = known[0]
            for other in known[1:]:
                while now != other:
                    if rank[now] > rank[other]:
                        now = above[now]
                    else:
                        other = above[other]
            if above.get(block) != now:
                above[block] = now
                changed = True
    return above


def _is_above(above: dict[int, int], one: int, other: int) -> bool:
    while other != one and other != 0:
        other = above[other]
    return other == one


def _body(found: Sequence[Block], header: int, latches: Iterable[int]) -> frozenset[int]:
    body = {header}
    stack = list(latches)
    while stack:
        block = stack.pop()
        if block not in body:
            body.add(block)
            stack += found[block].before
    return frozenset(body)
