# SPDX-License-Identifier: MIT
"""The wrapper under sanitizers in every mode of `mpipp run`: no report, and the same findings.

The program itself is only linked with a sanitizer's library, which must be loaded first.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import support
from tests.faults import sanitized
from tests.watcher import runs

pytestmark = pytest.mark.thorough  # the tests build the wrapper, which is slow

FEW = support.on_mpi("mpich4", "openmpi4")
TESTS = Path(__file__).parents[1]
LIBRARIES = {sanitized.ADDRESS: ("-lasan", "-lubsan"), sanitized.THREAD: ("-ltsan",)}
OPTIONS = {
    # mpipp's library comes before the sanitizer's, and handles accesses to pages itself.
    "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0:handle_segv=0:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:handle_segv=0:exitcode=99",
    # UCX would intercept the end of every thread.
    "UCX_MEM_EVENTS": "n",
    "UCX_LOG_LEVEL": "error",
}


class Mode(NamedTuple):
    """A program that uses much of what a mode adds to the wrapper."""

    options: tuple[str, ...]
    program: str  # path below tests/
    words: tuple[str, ...] = ()
    n: int = 2


MODES = {
    "watched": Mode((), "watcher/programs/queries/transfers.c"),
    "strict": Mode(
        ("--strict", "--on-error", "handler"),
        "watcher/programs/collective_prechecks/strict.c",
        ("file",),
        3,
    ),
    "buffers": Mode(("--check=buffers",), "watcher/programs/guarded/kinds.c", ("wrong",)),
    "matrix": Mode(("--check=buffers",), "watcher/programs/guarded/matrix_small.c", (), 1),
    "rma": Mode(("--check=rma",), "perturb/programs/correct_onesided.c", ("1", "10")),
    "loads": Mode(("--check=rma", "--rma-loads"), "analysis/rma/programs/epochs/wrong_epochs.c"),
    "provoked": Mode(("--provoke=3",), "perturb/programs/kinds.c"),
    "provoked-rma": Mode(("--provoke=rma,3",), "perturb/programs/correct_onesided.c", ("1", "10")),
}
THREADED = {
    "watched": Mode((), "watcher/programs/processes/threads.c"),
    "buffers": Mode(("--check=buffers",), "watcher/programs/access/guarded_threads.c"),
    "rma": Mode(("--check=rma",), "analysis/rma/programs/threads.c"),
}


def check(mpi: support.MPI, mode: Mode, flag: str, directory: Path) -> None:
    """Run with the sanitized and with the usual wrapper, and compare the findings."""
    linked = ("-pthread", "-Wl,--no-as-needed", *LIBRARIES[flag])
    source = TESTS / mode.program
    usual = support.compile_program(source, mpi, ("-g", "-pthread"))
    program = support.compile_program(source, mpi, ("-g", *linked))
    words = [str(directory / word) if word == "file" else word for word in mode.words]
    expected = runs.run(mpi, [usual, *words], *mode.options, n=mode.n)
    env = {**OPTIONS, "MPIPP_WRAPPER": str(sanitized.wrapper(mpi.id, flag))}
    done = runs.said(mpi, [program, *words], *mode.options, n=mode.n, **env)
    assert not re.search("runtime error|Sanitizer", done.stderr), done.stderr
    found = runs.read(done)
    assert found.status == expected.status, done.stderr
    assert sorted(map(places, found.blocks)) == sorted(map(places, expected.blocks))


def places(block: str) -> list[str]:
    """The source lines in a finding. Other parts vary between runs."""
    return re.findall(r" at (\S+:\d+)", block)


@pytest.mark.same_mpi("AddressSanitizer")
@pytest.mark.parametrize("name", MODES)
@FEW
def test_memory(mpi: support.MPI, name: str, tmp_path: Path) -> None:
    check(mpi, MODES[name], sanitized.ADDRESS, tmp_path)


@pytest.mark.same_mpi("threads")
@pytest.mark.parametrize("name", THREADED)
@FEW
def test_threads(mpi: support.MPI, name: str, tmp_path: Path) -> None:
    check(mpi, THREADED[name], sanitized.THREAD, tmp_path)
