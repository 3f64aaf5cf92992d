# SPDX-License-Identifier: MIT
"""A common form of two type signatures, in which equal parts are the same object.

The result does not depend on how the signatures were built. The method is recompression (A. Jez).
The algorithm alternates two steps. One step replaces every run of a letter by a new letter. The
other step marks each letter at random as "left" or "right". This step then replaces every pair of a
left and a right neighbor by a new letter. At the end each signature is one letter.

The letter made at a place depends only on its neighborhood, so equal texts become equal letters. No
repetition is expanded. Before each step, every part passes the letters at its ends that may be
joined across its border to its parents. The number of steps is logarithmic in the number of
elements. Each step takes time in proportion to the remaining parts and items. The random marks
change only the time, never the result.
"""

from __future__ import annotations

import random
from typing import Optional, Union

from mpipp.datatypes.signatures.runlength import Basic, Items, Node, Signature

_Run = tuple[Node, int]
_Body = list[Union[_Run, int]]  # runs of letters, and numbers of parts
# The runs that a part passed on from its first and last place, and whether the part has more.
_Ends = tuple[Optional[_Run], bool, Optional[_Run]]


def recompressed(first: Signature, second: Signature) -> tuple[Signature, Signature]:
    """Return two signatures, neither of them empty, in the common form."""
    rules = _Rules()
    roots = [[rules.number(first)], [rules.number(second)]]
    work = _Recompression(rules.bodies, [list[Union[_Run, int]](root) for root in roots])
    return work.finished()


class _Rules:
    # Signatures as numbered bodies, each part before the whole. A count becomes a sum of powers of
    # two, which are made by doubling.

    def __init__(self) -> None:
        self.bodies: list[_Body] = []
        self._numbers: dict[tuple[Signature, int], int] = {}
        self._letters: dict[str, Node] = {}

    def number(self, whole: Signature) -> int:
        # Without recursion: a chain of constructors may be very long.
        pending = [whole]
        while pending:
            node = pending[-1]
            parts = {part for part, _ in node.items if isinstance(part, Signature)}
            unknown = [part for part in parts if (part, 0) not in self._numbers]
            if unknown:
                pending.extend(unknown)
                continue
            pending.pop()
            if (node, 0) not in self._numbers:
                self._numbers[node, 0] = self._add(self._body(node))
        return self._numbers[whole, 0]

    def _body(self, node: Signature) -> _Body:
        body: _Body = []
        for part, count in node.items:
            if isinstance(part, Basic):
                body.append((self._letters.setdefault(part.kind, part), count))
            else:
                powers = range(count.bit_length())
                body.extend(self._power(part, power) for power in powers if count >> power & 1)
        return body

    def _power(self, part: Signature, power: int) -> int:
        # Returns the number of a body with 2^power copies of the part.
        for exponent in range(1, power + 1):
            if (part, exponent) not in self._numbers:
                half = self._numbers[part, exponent - 1]
                self._numbers[part, exponent] = self._add([half, half])
        return self._numbers[part, power]

    def _add(self, body: _Body) -> int:
        self.bodies.append(body)
        return len(self.bodies) - 1


class _Recompression:
    def __init__(self, bodies: list[_Body], roots: list[_Body]) -> None:
        self._bodies = dict(enumerate(bodies))
        self._roots = roots
        self._made: dict[Items, Signature] = {}
        self._random = random.Random(1)

    def finished(self) -> tuple[Signature, Signature]:
        """Run all steps, and return the two final letters."""
        while any(len(root) > 1 or isinstance(root[0], int) for root in self._roots):
            self._turn(runs=True)
            self._turn(runs=False)
        one, other = (self._letter((root[0],)) for root in self._roots)  # type: ignore[arg-type]
        return one, other

    def _turn(self, runs: bool) -> None:
        # Do one step: replace every run of a letter or, with `runs` false, pairs of letters.
        ends: dict[int, _Ends] = {}
        sides: dict[Node, bool] = {}
        for number, body in list(self._bodies.items()):
            body = _joined(body, ends)
            first = last = None
            if body and (runs or not self._left(body[0], sides)):
                first = _taken(body, 0)
            if body and (runs or self._left(body[-1], sides)):
                last = _taken(body, -1)
            ends[number] = first, bool(body), last
            if body:
                self._bodies[number] = self._compressed(body, runs, sides)
            else:
                del self._bodies[number]
        self._roots = [self._compressed(_joined(root, ends), runs, sides) for root in self._roots]

    def _left(self, item: _Run | int, sides: dict[Node, bool]) -> bool | None:
        # Returns whether a letter is marked as left in this step. None for a part: its
        # first and last letters were passed on to its parents.
        if isinstance(item, int):
            return None
        side = sides.get(item[0])
        if side is None:
            side = sides[item[0]] = bool(self._random.getrandbits(1))
        return side

    def _compressed(self, body: _Body, runs: bool, sides: dict[Node, bool]) -> _Body:
        if runs:
            return [
                item if isinstance(item, int) or item[1] == 1 else (self._letter((item,)), 1)
                for item in body
            ]
        result: _Body = []
        before: _Run | None = None  # the last item of `result`, if it is a left letter
        for item in body:
            left = self._left(item, sides)
            if before is not None and left is False:
                assert not isinstance(item, int)
                result[-1] = (self._letter((before, item)), 1)
                before = None
            else:
                result.append(item)
                before = item if left and not isinstance(item, int) else None
        return result

    def _letter(self, items: Items) -> Signature:
        found = self._made.get(items)
        if found is None:
            found = self._made[items] = Signature(items)
        return found


def _joined(body: _Body, ends: dict[int, _Ends]) -> _Body:
    # Inserts the ends that parts have passed on, and merges neighboring runs of one letter.
    result: _Body = []

    def add(run: _Run | None) -> None:
        if run is None:
            return
        before = result[-1] if result else None
        if isinstance(before, tuple) and before[0] is run[0]:
            result[-1] = (run[0], before[1] + run[1])
        else:
            result.append(run)

    for item in body:
        if isinstance(item, int):
            first, more, last = ends[item]
            add(first)
            if more:
                result.append(item)
            add(last)
        else:
            add(item)
    return result


def _taken(body: _Body, end: int) -> _Run | None:
    # Removes and returns the run at one end of a body; None if a part is there.
    if isinstance(body[end], int):
        return None
    run = body.pop(end)
    assert isinstance(run, tuple)
    return run
