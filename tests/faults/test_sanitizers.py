# SPDX-License-Identifier: MIT
"""The wrapper under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer: no report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import support
from tests.faults import faults, sanitized
from tests.wrapper import watched

pytestmark = pytest.mark.thorough  # the tests build the wrapper, which is slow

FEW = support.on_mpi("mpich4", "openmpi4")
# Building a wrapper for each test would take a minute.
MEMORY = pytest.mark.same_mpi("AddressSanitizer")
THREADS = pytest.mark.same_mpi("threads")
# UCX would intercept the end of every thread, where ThreadSanitizer does not expect it.
QUIET = {"UCX_MEM_EVENTS": "n", "UCX_LOG_LEVEL": "error"}
ADDRESS = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=99",
}
THREAD = {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1:exitcode=99"}


@pytest.fixture(autouse=True)
def _built(mpi: support.MPI, request: pytest.FixtureRequest) -> None:
    # Build the wrapper here, because the test's time limit does not run yet.
    is_of_threads = request.node.name.startswith("test_threads")
    sanitized.wrapper(mpi.id, sanitized.THREAD if is_of_threads else sanitized.ADDRESS)


def check_memory(mpi: support.MPI, command: list[str | Path], status: int = 0) -> None:
    preload = [sanitized.runtime("asan"), sanitized.runtime("ubsan")]
    library = sanitized.wrapper(mpi.id, sanitized.ADDRESS)
    done = faults.run(command, mpi, *preload, library, env=ADDRESS)
    assert done.returncode == status, done.stderr
    assert "runtime error" not in done.stderr and "Sanitizer" not in done.stderr, done.stderr


@MEMORY
@FEW
def test_memory_in_calls_of_every_family(mpi: support.MPI, tmp_path: Path) -> None:
    check_memory(mpi, [faults.program("families.c", mpi), tmp_path], status=3)


@MEMORY
@FEW
def test_memory_with_frames_and_threads(mpi: support.MPI) -> None:
    check_memory(mpi, ["env", "MPIPP_FRAMES=4", faults.program("stress.c", mpi), "400"])


@MEMORY
@FEW
def test_memory_in_every_constructor(mpi: support.MPI) -> None:
    check_memory(mpi, [watched.compiled("constructors.c", mpi.id)])


@support.on_mpi("mpich4")
def test_memory_in_handles_used_again(mpi: support.MPI) -> None:
    check_memory(mpi, [watched.compiled("reuse.c", mpi.id)])


def check_threads(mpi: support.MPI, program: str, rounds: int) -> None:
    compiled = faults.program(program, mpi, sanitized.THREAD)
    library = sanitized.wrapper(mpi.id, sanitized.THREAD)
    done = faults.run([compiled, str(rounds)], mpi, library, env={**QUIET, **THREAD})
    assert done.returncode == 0 and "Sanitizer" not in done.stderr, done.stderr


@THREADS
@FEW
def test_threads(mpi: support.MPI) -> None:
    check_threads(mpi, "stress.c", 1500)


@THREADS
@FEW
def test_threads_whose_requests_share_a_handle(mpi: support.MPI) -> None:
    check_threads(mpi, "shared.c", 40_000)


@THREADS
@FEW
def test_threads_that_change_the_same_objects(mpi: support.MPI) -> None:
    check_threads(mpi, "renamed.c", 3000)
