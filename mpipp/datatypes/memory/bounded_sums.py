# SPDX-License-Identifier: MIT
"""Exact search for sums of multiples in an interval, the core of all tests for overlap.

For terms (count, stride), is there an index 0 <= x < count for each such that the sum of stride * x
lies in [low, high]? Two strided blocks overlap exactly if the difference of two of their blocks'
starts lies in an interval. With one term the answer is a division. With two, a search like Euclid's
algorithm finds the first x with (a * x + b) mod m in an interval. The search takes logarithmic time
for any counts. With more terms, the search goes from the widest stride to the narrowest. The search
tries only indices for which the remaining terms can still reach the interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Term = tuple[int, int]  # count >= 1, and a stride of any sign


class _Merged(NamedTuple):
    # Several terms as one: their sums are all multiples of `stride` up to most * stride. `members`
    # are these terms as (number, count, stride). Each stride is a multiple that the sums of the
    # members before it reach, so no multiple is missing.
    stride: int
    most: int
    members: tuple[tuple[int, int, int], ...]


class _Absorbed(NamedTuple):
    # A term that needs no search, because its stride is not wider than the current interval.
    term: _Merged
    low: int
    scale: int


def solve(terms: Sequence[Term], low: int, high: int) -> list[int] | None:
    """Return indices for which the sum of stride * index is in [low, high], or None."""
    found = [0] * len(terms)
    if not terms:
        return found if low <= 0 <= high else None
    merged, base = _positive(terms)
    value = _search(merged, low - base, high - base, found)
    if value is None:
        return None
    for number, (count, stride) in enumerate(terms):
        if stride < 0:
            found[number] = count - 1 - found[number]
    return found


def sums(terms: Sequence[Term], low: int, high: int, most: int) -> list[int] | None:
    """Return all different sums in [low, high]; None if there may be more than `most`."""
    merged, base = _positive(terms)
    widest_first = merged[::-1]
    reach = _reaches(widest_first)
    found: set[int] = set()
    pending = [(0, base)]
    steps = 0
    while pending:
        place, value = pending.pop()
        steps += 1
        if steps > 8 * most or len(found) > most:
            return None
        if place == len(widest_first):
            found.add(value)
            continue
        stride, most_index, _ = widest_first[place]
        first = max(0, -((value + reach[place + 1] - low) // stride))
        last = min(most_index, (high - value) // stride)
        if last - first > 8 * most:
            return None
        pending.extend((place + 1, value + i * stride) for i in range(first, last + 1))
    return sorted(value for value in found if low <= value <= high)


def first_index(step: int, start: int, modulus: int, high: int) -> int | None:
    """Return the smallest x >= 0 for which (step * x + start) mod modulus <= high, or None.

    `high` is in [0, modulus).
    """
    start %= modulus
    if start <= high:
        return 0
    return _first_between(step % modulus, modulus, modulus - start, modulus - start + high)


def _first_between(step: int, modulus: int, low: int, high: int) -> int | None:
    # Returns the smallest x > 0 with low <= step * x mod modulus <= high, where 0 < low <= high <
    # modulus.
    if step == 0:
        return None
    if 2 * step > modulus:
        step, low, high = modulus - step, modulus - high, modulus - low
    x = -(-low // step)
    if x * step <= high:
        return x
    # No multiple of the step hits the interval before step * x first exceeds the modulus. So search
    # for the smallest number of wraps after which a multiple does.
    low_rest, high_rest = -high % step, -low % step
    wraps = _first_between(modulus % step, step, low_rest, high_rest)
    return None if wraps is None else -(-(low + modulus * wraps) // step)


def _positive(terms: Sequence[Term]) -> tuple[list[_Merged], int]:
    # Replaces negative strides by positive ones, and merges terms. Returns the terms, narrowest
    # first, and the amount to add to their sums.
    base = 0
    plain = []
    for number, (count, stride) in enumerate(terms):
        if stride < 0:
            base += (count - 1) * stride
            stride = -stride
        if count > 1 and stride:
            plain.append((stride, count, number))
    plain.sort()
    merged: list[_Merged] = []
    for stride, count, number in plain:
        for place, other in enumerate(merged):
            factor, rest = divmod(stride, other.stride)
            if not rest and factor <= other.most + 1:
                more = other.most + factor * (count - 1)
                members = (*other.members, (number, count, stride))
                merged[place] = _Merged(other.stride, more, members)
                break
        else:
            merged.append(_Merged(stride, count - 1, ((number, count, stride),)))
    return merged, base


def _search(terms: list[_Merged], low: int, high: int, found: list[int]) -> int | None:
    # Returns a sum in [low, high], and stores the indices in `found`.
    absorbed = []
    scale = 1
    while True:
        while terms and terms[0].stride <= scale * (high - low + 1):
            term = terms[0]
            absorbed.append(_Absorbed(term, low, scale))
            low -= term.stride // scale * term.most
            terms = terms[1:]
        if low > high:
            return None
        divisor = math.gcd(*(term.stride for term in terms)) // scale if terms else 1
        if divisor == 1:
            break
        scale *= divisor
        low, high = -(-low // divisor), high // divisor
    widest_first = terms[::-1]
    levels = _Levels(
        [term.stride // scale for term in widest_first], [term.most for term in widest_first]
    )
    indices = levels.find(0, low, high)
    if indices is None:
        return None
    value = 0
    for term, index in zip(widest_first, indices):
        value += term.stride * index
        _split(term, index, found)
    for term, before, its_scale in reversed(absorbed):
        # The smallest index with which the sum lies in the interval that it had before the term was
        # absorbed.
        index = min(term.most, max(0, -((value - before * its_scale) // term.stride)))
        value += term.stride * index
        _split(term, index, found)
    return value


def _split(term: _Merged, index: int, found: list[int]) -> None:
    # Distributes the index of a merged term to its members.
    rest = index * term.stride
    for number, count, stride in reversed(term.members):
        found[number] = min(count - 1, rest // stride)
        rest -= found[number] * stride


def _reaches(terms: Sequence[_Merged]) -> list[int]:
    # For each term: the largest sum of this one and all later ones.
    reach = [0]
    for term in reversed(terms):
        reach.append(reach[-1] + term.stride * term.most)
    return reach[::-1]


class _Levels:
    # Terms with positive strides, widest first, and their largest indices.

    def __init__(self, strides: list[int], most: list[int]) -> None:
        self.strides = strides
        self.most = most
        self.reach = [0]
        self.divisors = [0]
        for stride, index in zip(reversed(strides), reversed(most)):
            self.reach.append(self.reach[-1] + stride * index)
            self.divisors.append(math.gcd(self.divisors[-1], stride))
        self.reach.reverse()
        self.divisors.reverse()

    def find(self, level: int, low: int, high: int) -> list[int] | None:
        # Returns indices for the terms from `level` on.
        left = len(self.strides) - level
        if high < 0 or low > self.reach[level]:
            return None
        if low <= 0:
            return [0] * left
        if high >= self.reach[level]:
            return self.most[level:]
        if left == 0:
            return None
        stride = self.strides[level]
        if left == 1:
            index = -(-low // stride)
            return [index] if index * stride <= high else None
        for index in self._candidates(level, low, high):
            rest = self.find(level + 1, low - index * stride, high - index * stride)
            if rest is not None:
                return [index, *rest]
        return None

    def _candidates(self, level: int, low: int, high: int) -> Iterator[int]:
        # Indices for which the remaining terms may still succeed. The reach of these terms must
        # meet the remaining interval, and a multiple of their common divisor must lie in it. If
        # only one term remains, these conditions are enough for a solution. The search begins in
        # the middle, because most sums lie there.
        stride, divisor = self.strides[level], self.divisors[level + 1]
        first = max(0, -((self.reach[level + 1] - low) // stride))
        last = min(self.most[level], high // stride)
        middle = (first + last) // 2 if len(self.strides) - level > 2 else first
        for start, stop in ((middle, last), (first, middle - 1)):
            index = start
            while index <= stop:
                if high - low + 1 < divisor:
                    ahead = first_index(-stride, high - index * stride, divisor, high - low)
                    if ahead is None:
                        return
                    index += ahead
                    if index > stop:
                        break
                yield index
                index += 1
