# SPDX-License-Identifier: MIT
"""The loops of a function, in LLVM's textual IR."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field

from mpipp.common.lazy_dataclass import dataclass

_LABEL = re.compile(r'("[^"]*"|[\w.$-]+):')
_TARGET = re.compile(r'label %("[^"]*"|[\w.$-]+)')
_END = re.compile(
    r"  (?:\S+ = )?(?:br|switch|ret|unreachable|invoke|callbr|indirectbr|resume|catchswitch"
    r"|catchret|cleanupret)\b"
)


@dataclass
class Block:
    """A basic block. Its first line is its label, except in a function's first block.

    Attributes:
        name: the label; "" in a function's first block.
        lines: the text.
        after: positions of its successors.
        before: positions of its predecessors.
    """

    name: str
    lines: list[str] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)

    def end(self) -> int:
        """The index of the line that branches to other blocks."""
        ends = [i for i, line in enumerate(self.lines) if _END.match(line)]
        return ends[-1] if ends else len(self.lines)


@dataclass
class Loop:
    """A natural loop with one back edge.

    Attributes:
        header: position of its first block.
        latch: position of the block that jumps back.
        entry: position of the only block outside that jumps to the header.
        body: positions of all its blocks.
        always: positions of the blocks that each iteration runs.
        outer: the next enclosing loop in the list, or None.
    """

    header: int
    latch: int
    entry: int
    body: frozenset[int]
    always: frozenset[int]
    outer: Loop | None = None


def blocks(lines: Sequence[str]) -> list[Block]:
    """The basic blocks in the lines of a function. The function's first and last line belong to no
    block."""
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
    """The natural loops, inner ones before outer ones."""
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
    # Reverse postorder of the blocks.
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
    # The immediate dominator of each block.
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
