# SPDX-License-Identifier: MIT
"""Pages about datatypes show exactly what a user sees: their gdb sessions, run as written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.docs.sessions import QUIETLY, Gdb, Session, compiled, running, verify
from tests.support import MPI, ROOT, find_mpi, need


@contextmanager
def started(mpi: MPI, directory: Path, mpipp: str, session: Session) -> Iterator[Gdb]:
    how, program, *rest = session.start
    if how != "attach":
        words = ["--", f"./{program}"] if how == "run" else [f"./{program}", rest[0]]
        yield Gdb([mpipp, "gdb", *QUIETLY, *words], mpi, directory)
        return
    words = [mpipp, "run", "-n", "2", "--", f"./{program}"]
    with running(words, 2, program, mpi, directory) as pids:
        gdb = Gdb([mpipp, "gdb", *QUIETLY, "-p", str(pids[int(rest[0])])], mpi, directory)
        yield gdb
        gdb.leave()  # the launcher waits for processes that gdb holds


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", ["tutorials/datatype.md", "symptoms/which-datatype.md"])
def test_every_output_is_what_gdb_prints(page: str, tmp_path: Path) -> None:
    mpi = find_mpi("mpich4")
    need("gdb")
    mpipp = shutil.which("mpipp", path=str(ROOT / ".venv" / "bin")) or need("mpipp")
    compiled(("column", "particles"), mpi, tmp_path)
    verify(ROOT / "docs" / page, tmp_path, partial(started, mpi, tmp_path, mpipp))
