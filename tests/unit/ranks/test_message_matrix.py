# SPDX-License-Identifier: MIT
"""Test the matrix of messages between ranks."""

from __future__ import annotations

from mpipp.ranks import message_matrix
from mpipp.ranks.message_matrix import OnTheWay, Pair

PAIRS = [
    Pair(0, 1, 12, 96),
    Pair(1, 0, 1, 1, is_whole=False, waiting=(OnTheWay(1, 1, 5, ""),)),
    Pair(2, 0, 3, 240, is_certain=False),
]


def test_lines() -> None:
    assert list(message_matrix.pair_lines(PAIRS)) == [
        "rank 0 to rank 1: 12 messages, 96 bytes",
        "rank 1 to rank 0: 1 message, at least 1 byte",
        "rank 2 to rank 0: 3 messages, 240 bytes",
    ]
    total = "16 messages, at least 337 bytes, between 3 pairs of ranks"
    assert message_matrix.total_line(PAIRS) == total


def test_on_their_way() -> None:
    several = (OnTheWay(2, 80, 3, 'communicator "row"'), OnTheWay(1, None, 4, ""))
    assert list(message_matrix.waiting_lines([*PAIRS, Pair(2, 1, 3, 0, waiting=several)])) == [
        "on their way (sent, no receive posted):",
        "  rank 1 to rank 0: 1 message with tag 5, 1 byte",
        '  rank 2 to rank 1: 2 messages with tag 3, 80 bytes, on communicator "row" '
        "and 1 message with tag 4",
        "unknown: the messages on their way to rank 0",
    ]
    assert list(message_matrix.waiting_lines(PAIRS[:1])) == [
        "on their way (sent, no receive posted): none"
    ]


def test_few_ranks_have_numbers() -> None:
    assert list(message_matrix.matrix_lines(PAIRS, 3)) == [
        "messages (row: sender, column: receiver)",
        "     0   1  2",
        "  0  .  12  .",
        "  1  1   .  .",
        "  2  3   .  .",
        "bytes (row: sender, column: receiver)",
        "       0   1  2",
        "  0    .  96  .",
        "  1    1   .  .",
        "  2  240   .  .",
    ]


def test_many_ranks_have_digits() -> None:
    lines = list(message_matrix.matrix_lines(PAIRS, 17))
    assert lines[:4] == [
        "messages (row: sender, column: receiver; 0: 1 to 9, 1: 10 to 99, ...)",
        "   0  .1...............",
        "   1  0................",
        "   2  0................",
    ]
    assert lines[18 + 3] == "   2  2................"


def test_ranks_share_cells_in_large_jobs() -> None:
    ring = [Pair(rank, (rank + 1) % 1000, 1, 8) for rank in range(1000)]
    lines = list(message_matrix.matrix_lines(ring, 1000))
    assert len(lines) == 2 * (1 + 63)
    assert lines[1] == "    0  10" + "." * 61  # each character stands for 16 x 16 pairs of ranks
