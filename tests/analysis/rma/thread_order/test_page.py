# SPDX-License-Identifier: MIT
"""docs/reference/rma.md: the commands of its program of threads, and the correction.

The two threads come in any order, so a test compares the places and the last line only. With
MPIPP_UPDATE_DOCS=1 the answer in the file is replaced.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.docs.test_checks import patched
from tests.support import MPI, ROOT, find_mpi, on_mpi, shell, with_short_points
from tests.watcher import runs

PAGE = ROOT / "docs/reference/rma.md"
_PROGRAM = re.compile(
    r"<!-- program -->\n```c\n(?P<program>.*?)```\n.*?"
    r"<!-- session -->\n```console\n(?P<commands>(?:\$ [^\n]*\n)+)(?P<answer>.*?)```\n.*?"
    r"```diff\n(?P<correction>.*?)```\n",
    re.DOTALL,
)


def answer(text: str, commands: str, mpi: MPI, directory: Path) -> str:
    """The report of the commands about a program."""
    source = directory / "halo.c"
    source.write_text(text)
    compiles, runs_it = commands.splitlines()
    assert compiles == "$ MPICH_CC=clang mpipp cc -g -fopenmp halo.c -o halo"
    assert runs_it == "$ mpipp run --check=rma -n 2 -- ./halo"
    program = runs.compiled(source, mpi, directory, "-fopenmp")
    words: list[str | Path] = [
        "run",
        "--check=rma",
        "--mpiexec",
        " ".join(mpi.mpiexec),
        "-n",
        "2",
        "--",
        program,
    ]
    return with_short_points(shell(*words).stderr)


def essence(report: str) -> tuple[set[str], bool]:
    """The lines of the accesses, and whether there is an error.

    In two ranks the accesses may come in different orders. Then there are two errors.
    """
    return set(re.findall(r"halo\.c:\d+", report)), not report.splitlines()[-1].startswith(
        "mpipp: no errors"
    )


@on_mpi("mpich4")
def test_threads(mpi: MPI, tmp_path: Path) -> None:
    found = _PROGRAM.search(PAGE.read_text())
    assert found is not None
    report = answer(found["program"], found["commands"], mpi, tmp_path)
    assert essence(report) == essence(found["answer"])
    corrected = patched(found["program"], found["correction"])
    report = answer(corrected, found["commands"], mpi, tmp_path)
    assert report.startswith("mpipp: no errors in 2 processes")


@pytest.mark.skipif("MPIPP_UPDATE_DOCS" not in os.environ, reason="only on demand")
def test_update(tmp_path: Path) -> None:
    text = PAGE.read_text()
    found = _PROGRAM.search(text)
    assert found is not None
    report = answer(found["program"], found["commands"], find_mpi("mpich4"), tmp_path)
    start, end = found.span("answer")
    PAGE.write_text(text[:start] + report + text[end:])
