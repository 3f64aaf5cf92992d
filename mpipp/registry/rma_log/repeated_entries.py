# SPDX-License-Identifier: MIT
"""Entries of an RMA log that are repeated, as those of each iteration of a loop.

The entries of an iteration are stored with equal words, except for numbers that count requests,
collective calls and messages. These numbers increase by the same amounts in each iteration.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

from mpipp.registry.rma_log import entries
from mpipp.registry.rma_log.entries import Kinds, Places

_WORD = 64  # bits


class _Field(NamedTuple):
    # A number in the words of some entries: its position and size in bits.
    at: int
    bits: int
    is_request: bool

    def of(self, words: int) -> int:
        return words >> self.at & (1 << self.bits) - 1


def repetitions(of: array[int], places: Places, kinds: Kinds, first: int, last: int) -> int:
    """Return how often the entries from `first` to before `last` are repeated from `last` on.

    Both are numbers of entries.
    """
    if not first < last < len(places.all):
        return 0
    begin, middle = places.all[first], places.all[last]
    size = middle - begin
    raw = memoryview(of).cast("B")

    def words(at: int) -> int:
        return int.from_bytes(raw[8 * at : 8 * (at + size)], "little")

    end = entries.end(of, places)
    if middle + size > end:
        return 0
    before, now = words(begin), words(middle)
    fields = _fields(of, places, kinds, first, last)
    fixed = ~sum((1 << field.bits) - 1 << field.at for field in fields)
    if (before ^ now) & fixed or not _increase_alike(fields, before, now):
        return 0
    step, at, times = now - before, middle, 0
    # The heads are equal, so entries begin at the same words of each repetition.
    while at + size <= end and words(at) == before + (times + 1) * step:
        times += 1
        at += size
    return times


def _increase_alike(fields: list[_Field], before: int, now: int) -> bool:
    # Return whether no number decreases, and all requests increase by the same number. Otherwise
    # other requests than in the first repetition might complete. In entries stored as differences,
    # a request may be 0.
    steps = set[int]()
    for field in fields:
        step = field.of(now) - field.of(before)
        if step < 0:
            return False
        if field.is_request and (field.bits != _WORD or field.of(now)):
            steps.add(step)
    return len(steps) < 2


def _fields(of: array[int], places: Places, kinds: Kinds, first: int, last: int) -> list[_Field]:
    # The numbers that may differ between repetitions of the entries from `first` to before `last`.
    counted = {kinds.send: (3,), kinds.collective: (1,)}
    requests = {
        kinds.operation: (3,),
        kinds.send: (4,),
        kinds.receive: (3,),
        kinds.collective: (3,),
        kinds.completed: (0,),
        kinds.matched: (0, 1),
    }
    found = []
    begin = places.all[first]
    for number in range(first, last):
        at = places.all[number]
        kind = entries.kind(of[at])
        words = (*counted.get(kind, ()), *requests.get(kind, ()))
        for index, place, bits in entries.stored(of, at):
            if index in words:
                position = _WORD * (at - begin) + place
                found.append(_Field(position, bits, index in requests.get(kind, ())))
    return found
