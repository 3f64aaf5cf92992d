# SPDX-License-Identifier: MIT
"""The messages between ranks as a matrix, and the messages that are not yet received."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.common.text import wording

_MOST_NUMBERS = 16  # ranks, in a matrix of numbers
_MOST_CELLS = 64  # columns, in a matrix of digits
_MOST_PAIRS = 32  # listed pairs with messages on their way
_NONE = "."


class OnTheWay(NamedTuple):
    """Messages that were sent, while no receive is posted for them.

    Attributes:
        bytes: None if unknown.
        comm: the name of the communicator, "" for MPI_COMM_WORLD.
    """

    messages: int
    bytes: int | None
    tag: int
    comm: str


class Pair(NamedTuple):
    """The messages from one rank to another.

    Attributes:
        is_whole: False if the call history lacks the bytes of some messages.
        is_certain: False if it is unknown which messages are on their way.
    """

    source: int
    dest: int
    messages: int = 0
    bytes: int = 0
    is_whole: bool = True
    is_certain: bool = True
    waiting: tuple[OnTheWay, ...] = ()


def waiting_lines(pairs: Sequence[Pair]) -> Iterator[str]:
    """The messages on their way, one line for each pair of ranks."""
    found = [pair for pair in pairs if pair.waiting]
    yield f"on their way (sent, no receive posted): {'' if found else 'none'}".rstrip()
    for pair in found[:_MOST_PAIRS]:
        said = wording.listed([_waiting(one) for one in pair.waiting])
        yield f"  rank {pair.source} to rank {pair.dest}: {said}"
    if len(found) > _MOST_PAIRS:
        yield f"  and {len(found) - _MOST_PAIRS} more pairs of ranks"
    unknown = [pair for pair in pairs if not pair.is_certain]
    if unknown:
        who = wording.ranks(pair.dest for pair in unknown)
        yield f"unknown: the messages on their way to {who}"


def _waiting(one: OnTheWay) -> str:
    text = wording.counted(one.messages, "message")
    text += f" with tag {one.tag}"
    text += "" if one.bytes is None else f", {wording.counted(one.bytes, 'byte')}"
    return text + (f", on {one.comm}" if one.comm else "")


def total_line(pairs: Sequence[Pair]) -> str:
    """ "12 messages, 96 bytes, between 4 pairs of ranks"."""
    messages = wording.counted(sum(pair.messages for pair in pairs), "message")
    size = wording.counted(sum(pair.bytes for pair in pairs), "byte")
    least = "" if all(pair.is_whole for pair in pairs) else "at least "
    return f"{messages}, {least}{size}, between {wording.counted(len(pairs), 'pair')} of ranks"


def pair_lines(pairs: Sequence[Pair]) -> Iterator[str]:
    """The messages so far, one line for each pair of ranks."""
    for pair in pairs:
        size = wording.counted(pair.bytes, "byte")
        least = "" if pair.is_whole else "at least "
        messages = wording.counted(pair.messages, "message")
        yield f"rank {pair.source} to rank {pair.dest}: {messages}, {least}{size}"


def matrix_lines(pairs: Sequence[Pair], size: int) -> Iterator[str]:
    """Two matrices, of messages and of bytes: a row for each sender, a column for each receiver.

    For many ranks, a cell is one digit: the power of ten of the number.
    """
    of: dict[str, Callable[[Pair], int]] = {
        "messages": lambda pair: pair.messages,
        "bytes": lambda pair: pair.bytes,
    }
    for noun, amount in of.items():
        cells = {(pair.source, pair.dest): amount(pair) for pair in pairs}
        if size <= _MOST_NUMBERS:
            yield f"{noun} (row: sender, column: receiver)"
            yield from _numbers(cells, size)
        else:
            yield f"{noun} (row: sender, column: receiver; 0: 1 to 9, 1: 10 to 99, ...)"
            yield from _digits(cells, size)


def _numbers(cells: dict[tuple[int, int], int], size: int) -> Iterator[str]:
    rows = [["", *map(str, range(size))]]
    for source in range(size):
        numbers = (cells.get((source, dest), 0) for dest in range(size))
        rows.append([str(source), *(str(number) if number else _NONE for number in numbers)])
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths))


def _digits(cells: dict[tuple[int, int], int], size: int) -> Iterator[str]:
    step = -(-size // _MOST_CELLS)
    sums: dict[tuple[int, int], int] = {}
    for (source, dest), number in cells.items():
        place = source // step, dest // step
        sums[place] = sums.get(place, 0) + number
    count = -(-size // step)
    width = len(str(size - 1))
    for row in range(count):
        numbers = (sums.get((row, column), 0) for column in range(count))
        digits = (str(min(9, len(str(number)) - 1)) if number else _NONE for number in numbers)
        yield f"  {row * step:>{width}}  {''.join(digits)}"


def record(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """The pairs for JSON."""
    return [
        {**pair._asdict(), "waiting": [one._asdict() for one in pair.waiting]} for pair in pairs
    ]
