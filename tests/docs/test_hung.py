# SPDX-License-Identifier: MIT
"""Pages about several processes in one gdb: their sessions, typed as written."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.docs.sessions import QUIETLY, Gdb, Session, compiled, running, same, verify
from tests.support import MPI, ROOT, find_mpi, need

MPIPP = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "mpipp.cli"]


@contextmanager
def attached(mpi: MPI, directory: Path, session: Session) -> Iterator[Gdb]:
    """A gdb on all processes of a job: "attach NUMBER PROGRAM ARGUMENT..."."""
    _, number, program, *arguments = session.start
    words = [*MPIPP, "run", "-n", number, "--", f"./{program}", *arguments]
    with running(words, int(number), program, mpi, directory) as pids:
        gdb = Gdb([*MPIPP, "attach", *map(str, pids), "--", *QUIETLY], mpi, directory)
        yield gdb
        gdb.leave()  # the launcher waits for processes that gdb holds


def alike(line: str) -> str:
    """A line without the parts that vary between runs."""
    line = re.sub(r"\[Switching to inferior.*", "[Switching to inferior]", line)
    line = re.sub(r"\[Switching to thread.*", "[Switching to thread]", line)
    # The polled function of the library varies.
    return "#0" if line.startswith("#0 ") else same(line)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("page", "program"),
    [
        ("docs/tutorials/hang.md", "halo"),
        ("docs/howto/check-now.md", "exchange"),
        ("docs/howto/look-at-all-ranks.md", "halo"),
    ],
)
def test_every_output_is_what_gdb_prints(page: str, program: str, tmp_path: Path) -> None:
    mpi = find_mpi("mpich4")
    need("gdb")
    compiled((program,), mpi, tmp_path)
    verify(ROOT / page, tmp_path, partial(attached, mpi, tmp_path), alike)
