# SPDX-License-Identifier: MIT
"""Runs in which a receive takes another message: --provoke=match."""

from __future__ import annotations

import argparse

import pytest

from mpipp.cli.commands.run import perturb
from mpipp.common.errors import MpippError
from tests.support import MPI, on_mpi
from tests.watcher import runs

WAYS = ("recv", "any-tag", "irecv", "probe", "iprobe", "mprobe", "improbe", "intercomm")


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("way", WAYS)
def test_the_receive_takes_the_message_of_the_chosen_rank(mpi: MPI, way: str) -> None:
    program = runs.program("message_races.c", mpi)
    for source in (1, 2):
        options = ("--check=races", f"--provoke=match:0.1.{source}")
        (block,) = runs.run(mpi, [program, "race", way], *options, n=3).others
        assert f"the message of rank {source}, but could have" in block.splitlines()[0]


@on_mpi("mpich4")
def test_another_receive_takes_any_message(mpi: MPI) -> None:
    """A rank outside the communicator sends no message to the receive."""
    program = runs.program("message_races.c", mpi)
    for receive in ("0.9.2", "1.1.2", "0.1.7"):
        options = ("--check=races", f"--provoke=match:{receive}")
        done = runs.run(mpi, [program, "message", "recv"], *options, n=3)
        assert done.status == 0
        assert done.others == []


def test_the_words_of_the_option() -> None:
    found = perturb.schedules(argparse.Namespace(provoke="match:0.1.2", provoke_sweep=None))
    assert found
    assert found.variables() == {"MPIPP_PROVOKE_MATCH": "0.1.2"}
    assert found.word() == "match:0.1.2"
    assert perturb.with_random_seed(found) == found
    for word in ("match:", "match:1", "match:0.0.1", "match:0.1.x", "match:0.1.2.3"):
        with pytest.raises(MpippError, match=r"write match:RANK\.NUMBER\.SOURCE"):
            perturb.schedules(argparse.Namespace(provoke=word, provoke_sweep=None))
    with pytest.raises(MpippError, match="leave out --provoke-sweep"):
        perturb.schedules(argparse.Namespace(provoke="match:0.1.2", provoke_sweep=3))
