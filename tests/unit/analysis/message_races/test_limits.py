# SPDX-License-Identifier: MIT
"""Long runs, and events that order processes in other ways than messages."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.message_races import inbox
from mpipp.analysis.message_races.replay import analyse
from mpipp.model import rma_events as m
from mpipp.model.message_events import Channel, Received, Sent
from mpipp.model.moment import Moment

LOOPS = 3000


def _moment(rank: int, number: int, place: int, procedure: str) -> Moment:
    return Moment(rank, 0, number, place, procedure)


def _master(loops: int, last: bool) -> Iterator[m.Event]:
    # Receives from two workers in turn, at one place; the last message at another place.
    for turn in range(2 * loops):
        channel = Channel(1, 1 + turn % 2, 0, 0, turn // 2)
        place = 2 if last and turn == 2 * loops - 1 else 1
        yield Received(_moment(0, 4 * turn, place, "MPI_Recv"), channel, True)
    yield m.Finalized(_moment(0, 8 * loops, 9, "MPI_Finalize"))


def _worker(rank: int, loops: int) -> Iterator[m.Event]:
    for turn in range(loops):
        channel = Channel(1, rank, 0, 0, turn)
        yield Sent(_moment(rank, 4 * turn, 3, "MPI_Send"), channel)
    yield m.Finalized(_moment(rank, 4 * loops, 9, "MPI_Finalize"))


def _run(loops: int, last: bool) -> dict[int, Iterator[m.Event]]:
    return {0: _master(loops, last), 1: _worker(1, loops), 2: _worker(2, loops)}


def test_a_master_that_takes_all_messages_at_one_place() -> None:
    (race,) = analyse(_run(10, last=False)).races
    assert race.has_one_place
    assert race.times > 10


def test_the_last_message_is_taken_at_another_place() -> None:
    races = analyse(_run(10, last=True)).races
    assert sorted(race.has_one_place for race in races) == [False, True]


def test_memory_is_bounded() -> None:
    result = analyse(_run(LOOPS, last=False))
    assert [race.has_one_place for race in result.races] == [True]
    assert not result.forgotten  # the place has a race already
    assert inbox.MOST_OPEN < 2 * LOOPS


def test_a_fence_orders_messages() -> None:
    def events(rank: int, with_fence: bool) -> Iterator[m.Event]:
        yield m.WindowMade(
            _moment(rank, 1, 8, "MPI_Win_create"), 7, 0, 0, 1, "create", False, (0, 1, 2)
        )
        if rank == 1:
            yield Sent(_moment(1, 2, 10, "MPI_Send"), Channel(1, 1, 0, 0, 0))
        if rank == 0:
            yield Received(_moment(0, 3, 11, "MPI_Recv"), Channel(1, 1, 0, 0, 0), True)
        if with_fence:
            yield m.Synchronization(_moment(rank, 4, 12, "MPI_Win_fence"), "fence", 7)
        if rank == 2:
            yield Sent(_moment(2, 5, 13, "MPI_Send"), Channel(1, 2, 0, 0, 0))
        if rank == 0:
            yield Received(_moment(0, 6, 14, "MPI_Recv"), Channel(1, 2, 0, 0, 0), True)
        yield m.Finalized(_moment(rank, 9, 15, "MPI_Finalize"))

    for with_fence in (False, True):
        result = analyse({rank: events(rank, with_fence) for rank in range(3)})
        assert len(result.races) == (not with_fence)
        assert not result.cut
        assert not result.reads_windows


def test_two_messages_of_one_process_cross() -> None:
    def sender() -> Iterator[m.Event]:
        yield Sent(_moment(1, 2, 10, "MPI_Send"), Channel(1, 1, 0, 0, 0))
        yield Sent(_moment(1, 3, 11, "MPI_Send"), Channel(1, 1, 0, 0, 1))
        yield m.Finalized(_moment(1, 9, 15, "MPI_Finalize"))

    def receiver(any_source: bool) -> Iterator[m.Event]:
        first, second = (Channel(1, 1, 0, 0, ordinal) for ordinal in range(2))
        yield Received(_moment(0, 2, 12, "MPI_Recv"), first, True)
        yield Received(_moment(0, 3, 13, "MPI_Recv"), second, any_source)
        yield m.Finalized(_moment(0, 9, 15, "MPI_Finalize"))

    (race,) = analyse({0: receiver(True), 1: sender()}).races
    assert race.is_of_one_sender
    assert not analyse({0: receiver(False), 1: sender()}).races
