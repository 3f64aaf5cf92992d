# SPDX-License-Identifier: MIT
"""README.md shows exactly what a user sees, in at most a hundred lines."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.docs import test_hung, test_tutorial, test_watch
from tests.docs.sessions import Gdb, Session, compiled, verify
from tests.support import MPI, ROOT, find_mpi, need
from tools import record_terminal

README = ROOT / "README.md"


@contextmanager
def started(mpi: MPI, directory: Path, session: Session) -> Iterator[Gdb]:
    """A gdb on one process, "attach PROGRAM RANK", or on all, "attach NUMBER PROGRAM"."""
    if session.start[1].isdigit():
        with test_hung.attached(mpi, directory, session) as gdb:
            yield gdb
    else:
        mpipp = shutil.which("mpipp", path=str(ROOT / ".venv" / "bin")) or need("mpipp")
        with test_tutorial.started(mpi, directory, mpipp, session) as gdb:
            yield gdb


def alike(lines: list[str]) -> list[str]:
    """The lines joined, without line breaks of the terminal and parts that vary between runs."""
    return " ".join(test_watch.alike(lines)).split()


@pytest.mark.timeout(300)
def test_every_output_is_what_gdb_prints(tmp_path: Path) -> None:
    mpi = find_mpi("mpich4")
    need("gdb")
    compiled(("column", "halo"), mpi, tmp_path)
    verify(README, tmp_path, partial(started, mpi, tmp_path), test_hung.alike)


def test_the_example_in_python_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    mpi = find_mpi("mpich5")
    assert mpi.mpi4py
    words = [mpi.mpi4py, "-c", code]
    env = {**mpi.env, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert "(VECTOR)[2][0](DOUBLE) at 80" in done.stdout


def test_it_has_a_hundred_lines_at_most() -> None:
    assert len(README.read_text().splitlines()) <= 100


def test_the_picture_is_current() -> None:
    """The picture shows the lines of a tested page. If this fails, run python -m
    tools.record_terminal."""
    picture = ElementTree.parse(record_terminal.PICTURE)
    lines = (picture.findtext("{http://www.w3.org/2000/svg}desc") or "").splitlines()
    assert [line[2:] for line in lines if line[:2] == "$ "] == list(record_terminal.COMMANDS)
    last = lines[lines.index(f"$ {record_terminal.COMMANDS[-1]}") :]
    page = (ROOT / "docs" / "symptoms" / "wrong-numbers.md").read_text()
    (block,) = test_watch.MARKED.findall(page)
    assert alike(last) == alike(block.splitlines()[1:])
