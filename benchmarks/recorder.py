# SPDX-License-Identifier: MIT
"""The cost of the wrapper for a program: ratio of times, instructions, memory."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.table import Figure, ratio, seconds
from tests.support import MPI, compile_program

SOURCE = Path(__file__).parent / "programs" / "recorder.c"
SELF_AIM = {"openmpi4": 2.0, "openmpi5": 2.0, "mpich4": 1.4, "mpich5": 1.4}


def _loop(
    mpi: MPI, name: str, count: int, *, n: int = 1, preload: bool, under: Sequence[str | Path] = ()
) -> tuple[float, int]:
    # Seconds of one round of the loop, and the growth of the process in bytes.
    program = compile_program(SOURCE, mpi, ("-O2", "-w"))
    done = mpi.run([*under, program, name, str(count)], n=n, preload=preload, timeout=300)
    assert done.returncode == 0, done.stderr
    time, grown = done.stdout.split()
    return float(time), int(grown)


def _slowdown(mpi: MPI, name: str, count: int, n: int = 1) -> float:
    return ratio(
        lambda: _loop(mpi, name, count, n=n, preload=True)[0],
        lambda: _loop(mpi, name, count, n=n, preload=False)[0],
    )


def _instructions(mpi: MPI, name: str, *, preload: bool) -> float:
    # Instructions per round of the loop, by callgrind. The difference of two runs cancels the
    # start.
    program = compile_program(SOURCE, mpi, ("-O2", "-w"))
    totals = []
    for count in (2000, 12000):
        with tempfile.NamedTemporaryFile() as out:
            words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}"]
            words += [str(program), name, str(count)]
            env = dict(mpi.env) | ({"LD_PRELOAD": mpi.wrapper} if preload else {})
            done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        assert found, done.stderr
        totals.append(int(found.group(1)))
    return (totals[1] - totals[0]) / 11000  # the loop makes 1.1 x count rounds


def _added_instructions(mpi: MPI) -> float:
    added = _instructions(mpi, "self", preload=True) - _instructions(mpi, "self", preload=False)
    return added / 3  # each iteration makes three calls: Irecv, Isend, Waitall


def _bytes_per_datatype(mpi: MPI) -> float:
    count = 100_000
    grown = [_loop(mpi, "live", count, preload=preload)[1] for preload in (True, False)]
    return (grown[0] - grown[1]) / count


def _growth(mpi: MPI, name: str) -> float:
    # Measure megabytes without address randomization. With randomization, MPICH 4.0.2 grows by 64
    # bytes a datatype in every second run, even without the wrapper.
    words: list[str | Path] = ["setarch", "-R"]
    grown, base = (
        _loop(mpi, name, 10_000_000, preload=preload, under=words)[1] for preload in (True, False)
    )
    return max(0, grown - base) / 1e6


def _start_up(mpi: MPI) -> float:
    # Milliseconds that the preloaded wrapper adds to a program without MPI.
    def run(env: dict[str, str]) -> float:
        return seconds(lambda: subprocess.run(["/bin/true"], env=env, check=True))

    plain, loaded = dict(mpi.env), dict(mpi.env) | {"LD_PRELOAD": mpi.wrapper}
    differences = sorted(run(loaded) - run(plain) for _ in range(101))
    return differences[50] * 1000


def figures(mpi: MPI) -> Iterator[Figure]:
    """All figures of one MPI."""
    name = mpi.id
    yield Figure(
        f"{name}: Type_vector, commit, free", _slowdown(mpi, "datatypes", 300_000), 1.35, "x"
    )
    yield Figure(f"{name}: 8-byte ping-pong", _slowdown(mpi, "ping-pong", 100_000, 2), 1.05, "x")
    yield Figure(
        f"{name}: Irecv, Isend, Waitall to self",
        _slowdown(mpi, "self", 500_000),
        SELF_AIM[name],
        "x",
    )
    yield Figure(f"{name}: instructions added per call", _added_instructions(mpi), 150, "")
    yield Figure(f"{name}: memory per live datatype", _bytes_per_datatype(mpi), 256, "bytes")
    for loop in ("datatypes", "self"):
        yield Figure(f"{name}: growth over 10^7 rounds, {loop}", _growth(mpi, loop), 0.5, "MB")
    yield Figure(f"{name}: start-up without MPI", _start_up(mpi), 2, "ms")
