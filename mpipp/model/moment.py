# SPDX-License-Identifier: MIT
"""The time and place of an event in the log of a process."""

from __future__ import annotations

from typing import NamedTuple


class Moment(NamedTuple):
    """The process, time and place of an event.

    Attributes:
        process: rank in MPI_COMM_WORLD.
        thread: its number, in the order of the threads' first events, from 0.
        number: increases with each event of the process.
        place: a key of the source line; equal lines have equal keys.
    """

    process: int
    thread: int
    number: int
    place: int
    procedure: str
