# SPDX-License-Identifier: MIT
"""Comparison of two type signatures (MPI-4.1, sections 3.3.1 and 5.1.11).

The answer is exact and no repetition is expanded. Two cursors walk along both signatures. If both
cursors are at the same object, they skip it. If both are inside repetitions, of P and of Q
elements, they compare the next P + Q elements. If these agree, all elements agree up to the first
end of the two repetitions (theorem of Fine and Wilf). Some walks take too many steps, for example
between two ways to build a Fibonacci word. Then mpipp walks along the common form of both
(`grammar`).
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes.signatures import grammar
from mpipp.datatypes.signatures.runlength import Basic, Node, Signature

_STEPS = 20_000  # steps that a walk may take, in addition to one for each item of both signatures
_PACKED = "MPI_PACKED"


@dataclass(frozen=True)
class Side:
    """The first element that differs: its basic type, and its first byte in the packed data."""

    kind: str
    packed: int


@dataclass(frozen=True)
class Comparison:
    """The result of comparing two signatures, the sender's first.

    Attributes:
        verdict: "match", "partial", "longer" or "mismatch". For "partial" the first signature is a
            proper prefix of the second, which is legal from send to receive in point-to-point
            communication. "longer" is the reverse: the message is truncated.
        equal: the number of elements at the beginning that agree.
        first: the element of the first signature after these; None at its end.
        second: the element of the second signature after these; None at its end.
        unknown: whether one of the two elements is MPI_PACKED. MPI_PACKED matches any type; its
            contents, and so the rest, are unknown.
    """

    verdict: str
    equal: int
    first: Side | None
    second: Side | None
    unknown: bool = False


def compare(first: Signature, second: Signature) -> Comparison:
    """Compare the signature of the sent data with that of the receive buffer."""
    equal = equal_prefix(first, second)
    one, other = _side(first, equal), _side(second, equal)
    if one is None:
        return Comparison("match" if other is None else "partial", equal, one, other)
    if other is None:
        return Comparison("longer", equal, one, other)
    if _PACKED in (one.kind, other.kind):
        return Comparison("match", equal, one, other, unknown=True)
    return Comparison("mismatch", equal, one, other)


def _side(signature: Signature, index: int) -> Side | None:
    if index == signature.elements:
        return None
    found, packed = signature.at(index)
    return Side(found.kind, packed)


def equal_prefix(first: Signature, second: Signature) -> int:
    """Return the number of elements before the first difference."""
    if first is second:
        return first.elements
    try:
        return _walk(first, second)
    except _TooLong:
        return _walk(*grammar.recompressed(first, second), bounded=False)


def _items(signature: Signature) -> int:
    # Counts the items of a signature and its parts, each part once.
    seen: set[Node] = {signature}
    pending = [signature]
    items = 0
    while pending:
        found = pending.pop()
        items += len(found.items)
        for node, _ in found.items:
            if isinstance(node, Signature) and node not in seen:
                seen.add(node)
                pending.append(node)
    return items


class _TooLong(Exception):
    pass


def _walk(first: Signature, second: Signature, bounded: bool = True) -> int:
    # Returns the length of the common prefix. Raises _TooLong if bounded and the walk takes too
    # long.
    end = min(first.elements, second.elements)
    if not end:
        return 0
    a, b = _Cursor(first), _Cursor(second)
    jumps: list[tuple[int, int]] = []  # (a, b): if all elements agree up to a, they agree up to b
    position = steps = 0
    most = _STEPS
    while position < end:
        steps += 1
        if steps == most and bounded:
            most = _STEPS + _items(first) + _items(second)
            if steps == most:
                raise _TooLong
        limit = jumps[-1][0] if jumps else end
        if position == limit:
            position = jumps.pop()[1]
        else:
            x, y = a.node, b.node
            if x is y:
                position = min(limit, position + _shared_elements(a, b))
            elif isinstance(x, Basic) and isinstance(y, Basic):
                if x.kind != y.kind:
                    return position
                position = min(limit, position + min(a.left, b.left))
            else:
                jump = _jump(a, b, limit)
                if jump is not None:
                    jumps.append(jump)
                elif isinstance(y, Basic) or x.elements >= y.elements:
                    a.descend()
                else:
                    b.descend()
                continue
        a.move(position)
        b.move(position)
    return end


def _jump(a: _Cursor, b: _Cursor, limit: int) -> tuple[int, int] | None:
    position = a.position
    for end_a, period_a, _ in a.repetitions:
        for end_b, period_b, _ in b.repetitions:
            end = min(end_a, end_b, limit)
            if end - position > period_a + period_b:
                return position + period_a + period_b, end
    return None


def _shared_elements(a: _Cursor, b: _Cursor) -> int:
    # Returns how many elements agree certainly, because both sides have the same objects.
    if a.left != b.left:
        return min(a.left, b.left) * a.node.elements
    x, _, i = a.frames[-1]
    y, _, j = b.frames[-1]
    after = i + _equal_items(x.items, i, y.items, j)
    # The remaining elements of this item, less all its elements, which the sum below contains.
    rest = (a.node.elements * a.left) - (x.starts[i + 1] - x.starts[i])
    return rest + x.starts[after] - x.starts[i]


def _equal_items(
    x: Sequence[tuple[Node, int]], i: int, y: Sequence[tuple[Node, int]], j: int
) -> int:
    # Counts equal items from i and j on; the first ones are known to be equal. Compares slices that
    # grow and shrink, because Python compares tuples fast.
    equal = piece = 1
    while piece:
        here = x[i + equal : i + equal + piece]
        if len(here) == piece and here == y[j + equal : j + equal + piece]:
            equal += piece
            piece *= 2
        else:
            piece //= 2
    return equal


class _Cursor:
    """A position in a signature: at the start of `left` more copies of `node`.

    `frames` are the signatures around the position, outermost first. Each frame has the position at
    which this copy of the signature starts, and the number of the current item. `repetitions` are
    the current items with several copies. Each repetition has its end, the elements of one copy,
    and the number of its frame.
    """

    def __init__(self, signature: Signature) -> None:
        self.position = 0
        self.frames: list[tuple[Signature, int, int]] = []
        self.repetitions: list[tuple[int, int, int]] = []
        self._enter(signature, 0)

    def descend(self) -> None:
        """Enter the first copy."""
        assert isinstance(self.node, Signature)
        self._enter(self.node, self.position)

    def move(self, position: int) -> None:
        """Move to another position, not before this one."""
        self.position = position
        frames = self.frames
        while frames and position >= frames[-1][1] + frames[-1][0].elements:
            frames.pop()
        repetitions = self.repetitions
        while repetitions and repetitions[-1][2] >= len(frames):
            repetitions.pop()
        if frames:
            group, base, _ = frames.pop()
            if repetitions and repetitions[-1][2] == len(frames):
                repetitions.pop()
            self._enter(group, base)

    def _enter(self, group: Signature, base: int) -> None:
        # Enters a copy of `group` that starts at `base`, down to the current position.
        while True:
            starts = group.starts
            index = bisect.bisect_right(starts, self.position - base) - 1
            node, count = group.items[index]
            start = base + starts[index]
            if count > 1:
                end = start + count * node.elements
                self.repetitions.append((end, node.elements, len(self.frames)))
            self.frames.append((group, base, index))
            copies, inside = divmod(self.position - start, node.elements)
            if not inside:
                break
            assert isinstance(node, Signature)
            group, base = node, self.position - inside
        self.node, self.left = node, count - copies
