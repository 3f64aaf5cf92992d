# SPDX-License-Identifier: MIT
"""Calls by the library inside an unrecorded call are not taken for the program's."""

from __future__ import annotations

from pathlib import Path

from mpipp.model import KINDS
from tests import support
from tests.wrapper.watched import Process, watched

# Files in Open MPI use its own code or ROMIO, which calls MPI.
ROMIO = {"openmpi4": "romio321", "openmpi5": "romio341"}


def live(process: Process) -> dict[str, int]:
    """The numbers of recorded live objects of the program, by kind."""
    return {kind: len(process.live(kind)) for kind in KINDS if process.live(kind)}


@support.every_mpi
def test_inside(mpi: support.MPI, tmp_path: Path) -> None:
    runs(mpi, {}, tmp_path / "file")


@support.on_mpi(*ROMIO)
def test_inside_romio(mpi: support.MPI, tmp_path: Path) -> None:
    runs(mpi, {"OMPI_MCA_io": ROMIO[mpi.id]}, tmp_path / "file")


def runs(mpi: support.MPI, env: dict[str, str], file: Path) -> None:
    with watched("nested_calls.c", mpi, args=[file], env=env) as (process,):
        process.until("file open")
        assert live(process) == {"file": 1}
        process.until("file used")
        assert live(process) == {"file": 1}
        process.until("file deleted")
        assert live(process) == {}
        process.until("others used")
        assert live(process) == {}
        for _ in range(2):
            process.until("callback set")
            assert live(process) == {"comm": 2, "datatype": 1, "info": 1, "op": 1}
            process.until("callback called")
            assert live(process) == {}
        said = {"after - before": 1, "attribute == &value": 1, "count": 3}
        assert {name: process.said[name] for name in said} == said
        process.check_consistent()
        process.end()
