# SPDX-License-Identifier: MIT
"""The stacks of many ranks as one tree. Equal callers are one branch, with its ranks.

Merging is associative and commutative, so each node can merge the stacks of its ranks, and one node
the trees of all. A set of ranks is an integer: bit r stands for rank r.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mpipp.common.errors import MpippError

PROGRAM, LIBRARY, MPI, ARGUMENTS, STATE = "program", "library", "mpi", "arguments", "state"
_KINDS = (PROGRAM, LIBRARY, MPI, ARGUMENTS, STATE)
_MOST_CALLS = 8  # calls of one procedure that are shown separately
_LONGEST = 32  # characters in the text of a set of ranks
_COUNT, _STACK = "count", "stack, outermost call first"
_ONES = re.compile("1+")
_HIGHEST = 1 << 24  # ranks in a tree from JSON


class Step(NamedTuple):
    """One level of a stack. Equal steps of different ranks are merged.

    Attributes:
        text: "halo.c:17 in exchange"; "MPI_Recv"; its arguments, "source 2, tag 2".
        kind: PROGRAM; LIBRARY for the folded frames of a library; MPI, and below it ARGUMENTS if
            some are known; STATE, which is not a call: "running".
        path: path of the source, "" if unknown.
        line: line of the source, 0 if unknown.
    """

    text: str
    kind: str = PROGRAM
    path: str = ""
    line: int = 0


class StackTree:
    """The stacks below one step, or all stacks.

    Attributes:
        ranks: the ranks with a stack here, as bits.
        below: the next steps, outermost first.
    """

    __slots__ = ("below", "ranks")

    def __init__(self) -> None:
        self.ranks = 0
        self.below: dict[Step, StackTree] = {}

    def add(self, rank: int, stack: Iterable[Step]) -> None:
        """Add a stack of a rank, outermost call first. A rank may have several."""
        bit, tree = 1 << rank, self
        tree.ranks |= bit
        for step in stack:
            below = tree.below.get(step)
            if below is None:
                below = tree.below[step] = StackTree()
            tree = below
            tree.ranks |= bit

    def merge(self, other: StackTree) -> None:
        """Add the stacks of another tree, as copies: the other tree does not change."""
        pairs = [(self, other)]
        while pairs:
            mine, theirs = pairs.pop()
            mine.ranks |= theirs.ranks
            for step, tree in theirs.below.items():
                pairs.append((mine.below.setdefault(step, StackTree()), tree))

    def ordered(self) -> list[tuple[Step, StackTree]]:
        """The next steps, sorted by their lowest ranks, so that the order of merging does not
        matter."""
        found = list(self.below.items())
        if len(found) > 1:
            found.sort(key=lambda one: (_lowest(one[1].ranks), one[0]))
        return found

    def stacks(self) -> Iterator[tuple[list[Step], int]]:
        """The different stacks, outermost call first, each with its ranks."""
        pending: list[tuple[list[Step], StackTree]] = [([], self)]
        while pending:
            path, tree = pending.pop()
            ending = tree.ranks
            for step, below in reversed(tree.ordered()):
                ending &= ~below.ranks
                pending.append(([*path, step], below))
            if ending:
                yield path, ending


def members(ranks: int) -> Iterator[int]:
    """The ranks of a set, in order."""
    for first, last in _runs(ranks):
        yield from range(first, last + 1)


def _runs(ranks: int) -> Iterator[tuple[int, int]]:
    # The first and the last rank of each run. Searching a string is much faster than a loop over
    # bits: each of 10^4 different stacks has its set.
    if not ranks:
        return
    low = _lowest(ranks)
    for found in _ONES.finditer(f"{ranks >> low:b}"[::-1]):
        yield low + found.start(), low + found.end() - 1


def count(ranks: int) -> int:
    """The number of ranks in a set."""
    return bin(ranks).count("1")


def runs(ranks: int, longest: int | None = None) -> str:
    """The ranks of a set, "0-3,8". Text beyond `longest` characters is cut: "0,2,4,..."."""
    parts, length = [], 0
    for first, last in _runs(ranks):
        parts.append(f"{first}-{last}" if last > first else str(first))
        length += len(parts[-1]) + 1
        if longest is not None and length - 1 > longest:
            text = ",".join(parts)
            return text[: text.rindex(",", 0, longest - 3) + 1] + "..."
    return ",".join(parts)


def _lowest(ranks: int) -> int:
    # The number of the lowest bit in the set.
    return (ranks & -ranks).bit_length() - 1


class Branch(NamedTuple):
    """Consecutive steps with the same ranks, and the branches below the last one."""

    ranks: int
    texts: list[str]
    kind: str  # the kind of the last step
    below: list[Branch]


def branches(tree: StackTree) -> list[Branch]:
    """The tree as users see it, in which an MPI call with its arguments is one step.

    Calls of one procedure with many different arguments are one step without arguments.
    """
    return [_branch(text, step, below) for text, step, below in _shown(tree)]


def _branch(text: str, step: Step, tree: StackTree) -> Branch:
    texts, ranks = [text], tree.ranks
    while True:
        shown = _shown(tree)
        if len(shown) != 1 or shown[0][2].ranks != ranks:
            break
        text, step, tree = shown[0]
        texts.append(text)
    return Branch(ranks, texts, step.kind, [_branch(*one) for one in shown])


def _shown(tree: StackTree) -> list[tuple[str, Step, StackTree]]:
    found: list[tuple[str, Step, StackTree]] = []
    for step, below in tree.ordered():
        calls = [one for one in below.ordered() if one[0].kind == ARGUMENTS]
        if step.kind != MPI or not calls:
            found.append((step.text, step, below))
        elif len(calls) <= _MOST_CALLS:
            found += [(f"{step.text}({of.text})", step, called) for of, called in calls]
            rest = _without_arguments(below)
            if rest.ranks:
                found.append((step.text, step, rest))
        else:
            every = StackTree()
            for _, called in calls:
                every.merge(called)
            every.merge(_without_arguments(below))
            found.append((f"{step.text} ({len(calls)} different calls)", step, every))
    return found


def _without_arguments(tree: StackTree) -> StackTree:
    # The ranks whose calls have unknown arguments.
    found = StackTree()
    found.ranks = tree.ranks
    for step, below in tree.below.items():
        if step.kind == ARGUMENTS:
            found.ranks &= ~below.ranks
        else:
            found.below[step] = below
    return found


def lines(tree: StackTree, noun: str = "ranks") -> Iterator[str]:
    """The tree as text: a line for each step, with the ranks where it branches."""
    rows = list(_rows(branches(tree), 0))
    if not rows:
        return
    width = max(len(noun), *(len(row[1]) for row in rows))
    yield f"{_COUNT}  {noun:{width}}  {_STACK}"
    for number, ranks, text in rows:
        yield f"{number:>{len(_COUNT)}}  {ranks:{width}}  {text}"


def _rows(found: Sequence[Branch], depth: int) -> Iterator[tuple[str, str, str]]:
    for branch in found:
        number, ranks = str(count(branch.ranks)), runs(branch.ranks, _LONGEST)
        for text in branch.texts:
            yield number, ranks, "  " * depth + text
            number = ranks = ""
        yield from _rows(branch.below, depth + 1)


def record(tree: StackTree) -> dict[str, Any]:
    """The tree for JSON: {"ranks": "0-3", "below": [{"text": ..., "ranks": ..., ...}]}."""
    below = [{**step._asdict(), **record(inner)} for step, inner in tree.ordered()]
    return {"ranks": runs(tree.ranks), "count": count(tree.ranks), "below": below}


def from_record(found: Any) -> StackTree:
    """The tree from JSON. Raises MpippError if it is invalid."""
    tree = StackTree()
    try:
        pairs = [(tree, found)]
        while pairs:
            one, read = pairs.pop()
            one.ranks |= _bits(read["ranks"])
            for inner in read["below"]:
                below = one.below.setdefault(_step(inner), StackTree())
                pairs.append((below, inner))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise MpippError("this is not a stack tree of mpipp") from None
    return tree


def _step(found: Mapping[str, Any]) -> Step:
    step = Step(str(found["text"]), str(found["kind"]), str(found["path"]), int(found["line"]))
    if step.kind not in _KINDS:
        raise ValueError(step.kind)
    return step


def _bits(text: str) -> int:
    bits = 0
    for run in filter(None, text.split(",")):
        first, _, last = run.partition("-")
        low, high = int(first), int(last or first)
        if not 0 <= low <= high < _HIGHEST:
            raise ValueError(run)
        bits |= (1 << high + 1) - (1 << low)
    return bits
