# SPDX-License-Identifier: MIT
"""Receives that could have taken another message, in every way of receiving."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

# For each word of the program: the call that takes the first message.
WAYS = {
    "recv": "MPI_Recv took",
    "any-tag": "MPI_Recv took",
    "irecv": "MPI_Irecv took",
    "persistent": "MPI_Start took",
    "sendrecv": "MPI_Sendrecv took",
    "probe": "MPI_Probe found",
    "iprobe": "MPI_Iprobe found",
    "mprobe": "MPI_Mprobe took",
    "improbe": "MPI_Improbe took",
    "intercomm": "MPI_Recv took",
}
ORDERED = ("message", "barrier", "bcast", "ssend", "comm")


def found(mpi: MPI, order: str, *ways: str) -> list[str]:
    """The findings of a run."""
    program = runs.program("message_races.c", mpi)
    done = runs.run(mpi, [program, order, *ways], "--check=races", n=3)
    assert not [line for line in done.last if "not checked" in line]
    return done.others


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("way", WAYS)
def test_the_message_of_rank_2_could_have_come_first(mpi: MPI, way: str) -> None:
    (block,) = found(mpi, "race", way)
    verb = "found" if WAYS[way].endswith("found") else "taken"
    first, *rest = block.splitlines()
    told = re.fullmatch(
        rf"warning: {WAYS[way]} the message of rank ([12]), but could have {verb} another one of "
        r"rank ([12])",
        first,
    )
    assert told and told[1] != told[2]
    ranks = re.findall(r"(?m)^  rank (\d): MPI_", "\n".join(rest))
    assert ranks == ["0", *told.groups(), "0"]


@on_mpi("mpich4", "openmpi4")
def test_a_receive_may_take_another_message_than_the_probe_found(mpi: MPI) -> None:
    of_probe, of_receive = found(mpi, "race", "probe-any")
    assert of_probe.startswith("warning: MPI_Probe found the message of rank ")
    assert of_receive.startswith(
        "warning: MPI_Recv took the message that MPI_Probe found, but could have taken another one"
    )
    assert "to do: pass the source and the tag from the probe's status" in of_receive


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("order", ORDERED)
def test_ordered_messages_do_not_race(mpi: MPI, order: str) -> None:
    assert found(mpi, order, *WAYS, "probe-any") == []
