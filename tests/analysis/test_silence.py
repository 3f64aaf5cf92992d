# SPDX-License-Identifier: MIT
"""`mpipp check` finds nothing at any stop of a correct program, and only the error in a
wrong one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import support
from tests.analysis import silence
from tests.analysis.silence import Stop

TESTS = support.ROOT / "tests"

# Each planted error, and the name of its check.
ERRORS = {
    "type": "type-mismatch",
    "pending-type": "type-mismatch",
    "any-type": "type-mismatch",
    "truncated": "truncation",
    "root": "root-mismatch",
    "op": "op-mismatch",
    "procedure": "collective-mismatch",
    "form": "collective-form-mismatch",
    "signature": "type-mismatch",
    "length": "length-mismatch",
    "receives-overlap": "buffer-overlap",
    "send-overlaps": "buffer-overlap",
    "recvcounts": "length-mismatch",
    "started": "type-mismatch",
    "reused": "buffer-overlap",
    "outside": "outside-window",
    "aliased": "aliased-buffers",
    "uncommitted": "uncommitted-datatype",
}


def expect_silence(stops: list[Stop], least: int) -> None:
    """Expect no findings at any stop, and at least this many stops."""
    loud = [stop for stop in stops if not stop.silent]
    assert not loud, "\n".join("\n".join([f"stop {stop.what}", *stop.said]) for stop in loud)
    assert len(stops) >= least, [stop.what for stop in stops]


@support.each_handle
def test_example(mpi: support.MPI) -> None:
    program = support.compile_program(support.ROOT / "examples" / "particles.c", mpi)
    # All stops: two for each call of each process, except the start of MPI_Init.
    expect_silence(silence.stops([program], mpi), least=14)


@support.on_mpi("mpich4", "openmpi4")
def test_corrected_example(mpi: support.MPI) -> None:
    text = (support.ROOT / "examples" / "column.c").read_text()
    corrected = text.replace("0, 71", "0, 17").replace("N + 1, MPI_DOUBLE", "N, MPI_DOUBLE")
    program = support.compile_program(corrected, mpi)
    expect_silence(silence.stops([program], mpi), least=14)


@support.on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_traffic(mpi: support.MPI, tmp_path: Path) -> None:
    seed = 1 + support.MPI_IDS.index(mpi.id)
    words: list[str | Path] = [silence.traffic(mpi), str(seed), "60", tmp_path / tmp_path.name]
    stops = silence.stops(words, mpi, every=40, updates=10, interrupts=4, seed=seed)
    expect_silence(stops, least=20)


@pytest.mark.thorough
@support.on_mpi("openmpi4", "openmpi5")
def test_traffic_of_more(mpi: support.MPI, tmp_path: Path) -> None:
    n = 3 if mpi.id == "openmpi4" else 4
    words: list[str | Path] = [silence.traffic(mpi), "3", "40", tmp_path / tmp_path.name]
    expect_silence(silence.stops(words, mpi, n=n, every=40), least=20)


# Open MPI 4.1.4 ends such programs by a signal, watched or not.
@support.on_mpi("mpich4", "mpich5")
def test_traffic_of_threads(mpi: support.MPI, tmp_path: Path) -> None:
    words: list[str | Path] = [
        silence.traffic(mpi),
        "4",
        "40",
        tmp_path / tmp_path.name,
        "--threads",
    ]
    expect_silence(silence.stops(words, mpi, every=40, updates=5, interrupts=2), least=20)


# These programs keep objects until the end, so mpipp reports leaks there, as it should.
@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("name", ["gdb/programs/calls/buffers.c", "faults/programs/stress.c"])
def test_other_tests_program(mpi: support.MPI, name: str) -> None:
    directory, _, file = name.rpartition("/")
    flags = ["-g", "-O0", "-Wno-stringop-overflow", "-pthread"]
    program = support.compile_program(TESTS / directory / file, mpi, flags)
    words: list[str | Path] = [program, "100"]
    every = 20 if file == "stress.c" else 1
    stops = silence.stops(words, mpi, every=every)
    late = ("at the end", "by a late signal")
    expect_silence([stop for stop in stops if stop.what not in late], least=20)


@support.on_mpi("mpich4")
@pytest.mark.parametrize("number", range(3))
def test_planted(mpi: support.MPI, number: int, tmp_path: Path) -> None:
    # Each error comes after a different amount of traffic.
    seeds = {error: (seed, 2 * seed) for seed, error in enumerate(ERRORS)}
    are_found({error: seeds[error] for error in [*ERRORS][number::3]}, mpi, tmp_path)


@pytest.mark.thorough
@support.on_mpi("openmpi4", "openmpi5")
def test_planted_in_another_mpi(mpi: support.MPI, tmp_path: Path) -> None:
    errors = ("pending-type", "truncated", "receives-overlap")
    are_found(dict.fromkeys(errors, (5, 40)), mpi, tmp_path)


def are_found(errors: Mapping[str, tuple[int, int]], mpi: support.MPI, directory: Path) -> None:
    """Check that each error is the only finding of its own job, after some random traffic."""
    commands: list[list[str | Path]] = [
        [silence.traffic(mpi), str(seed), str(steps), directory / error, f"--error={error}"]
        for error, (seed, steps) in errors.items()
    ]
    for error, said in zip(errors, silence.planted(commands, mpi)):
        assert [finding["check"] for finding in said["findings"]] == [ERRORS[error]], (error, said)
