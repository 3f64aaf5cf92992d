# SPDX-License-Identifier: MIT
"""docs/tutorials/buffers.md: its gdb sessions, typed as written."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.docs.sessions import Gdb, Session, compiled, verify
from tests.docs.test_watch import UNLIMITED
from tests.support import MPI, ROOT, find_mpi, need

RUN = [sys.executable, "-m", "mpipp.cli", "run", "--check=buffers", "--gdb", "-n", "2", "--"]


@contextmanager
def opened(mpi: MPI, directory: Path, session: Session) -> Iterator[Gdb]:
    """The gdb that opens in a run of "PROGRAM ARGUMENT...". The program continues when gdb ends."""
    program, *arguments = session.start
    settings = {"PYTHONPATH": ROOT, **UNLIMITED}
    known = [f"{name}={value}" for name, value in settings.items()]
    words = ["env", *known, *RUN, f"./{program}", *arguments]
    gdb = Gdb(words, mpi, directory)
    yield gdb
    gdb.leave()


@pytest.mark.timeout(300)
def test_every_output_is_what_gdb_prints(tmp_path: Path) -> None:
    mpi = find_mpi("mpich4")
    need("gdb")
    compiled(("blocks",), mpi, tmp_path)
    verify(ROOT / "docs/tutorials/buffers.md", tmp_path, partial(opened, mpi, tmp_path))
