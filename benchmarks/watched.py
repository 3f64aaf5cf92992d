# SPDX-License-Identifier: MIT
"""The cost of watching a program: kernels and loops without mpipp, with the wrapper,
and watched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.table import Figure
from tests.support import MPI, ROOT, compile_program

PROGRAMS = Path(__file__).parent / "programs"
# Iterations of each kernel, for about half a second with two processes. The queries and the imports
# at the start of a watched run are a small part of that, as in real programs.
KERNELS = {
    "halo2d": 20000,
    "halo3d": 12000,
    "transpose": 4000,
    "cg": 12000,
    "wavefront": 600,
    "sort": 4000,
}
ALONE, WRAPPED, WATCHED, STRICT = "alone", "wrapped", "watched", "strict"
ROUNDS = 15
_FEW = 100  # iterations after which the program sends no new queries
# Four ranks on two processors poll in turn, so an iteration is some hundred times slower.
_FEWER = 20
_SELF_AIM = 270  # instructions: 150 of the recorder, and 120
_LEDGER_AIMS = {"alike": (10_000_000, 1 << 16), "random": (1_000_000, 64 << 20)}


class Ran(NamedTuple):
    """One run of a program."""

    words: list[str]  # the words that it printed
    said: str  # the output of mpipp
    ended: float  # the time of its end, on the system's clock


def ran(
    mpi: MPI, how: str, command: Sequence[str | Path], n: int = 2, options: Sequence[str] = ()
) -> Ran:
    """Run a program in one of the four ways. It must succeed."""
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": mpi.wrapper}
    words = [*mpi.mpiexec, "-n", str(n)]
    if how == WRAPPED:
        words += ["env", f"LD_PRELOAD={mpi.wrapper}"]
    if how in (WATCHED, STRICT):
        options = [*options, *(["--strict"] if how == STRICT else [])]
        launcher = ["--mpiexec", " ".join(mpi.mpiexec), "-n", str(n), "--mpicc", mpi.mpicc]
        words = [sys.executable, "-m", "mpipp.cli", "run", "--check", *launcher, *options, "--"]
    done = subprocess.run(
        [*words, *map(str, command)], env=env, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return Ran(done.stdout.split(), done.stderr, time.time())


def kernel(mpi: MPI, name: str) -> Path:
    """A compiled kernel."""
    return compile_program(
        PROGRAMS / "kernels" / f"{name}.c", mpi, ("-O2", "-w", "-Wl,--no-as-needed", "-lm")
    )


def _least(
    mpi: MPI,
    command: Sequence[str | Path],
    n: int,
    rounds: int,
    ways: Sequence[str] = (ALONE, WRAPPED, WATCHED),
) -> dict[str, float]:
    # Minimum seconds. The ways to run alternate; a kernel's checksum must be equal in all.
    least: dict[str, float] = {}
    sums = set()
    for _ in range(rounds):
        for how in ways:
            seconds, checksum = ran(mpi, how, command, n).words
            least[how] = min(least.get(how, 1e9), float(seconds))
            sums.add(checksum if command[0] != _loops(mpi) else "")
    assert len(sums) == 1, f"{command[0]}: {sums}"
    return least


def _loops(mpi: MPI) -> Path:
    return compile_program(PROGRAMS / "recorder.c", mpi, ("-O2", "-w"))


# Instructions, counted by callgrind.


def _instructions(
    mpi: MPI,
    how: str,
    command: Sequence[str | Path],
    n: int = 1,
    options: Sequence[str] = (),
) -> dict[str, int]:
    # Instructions of all processes, by object file.
    with tempfile.TemporaryDirectory() as directory:
        words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={directory}/%p"]
        ran(mpi, how, [*words, "--trace-children=no", *command], n, options)
        found: dict[str, int] = {}
        for file in Path(directory).iterdir():
            for name, count in _by_object(file.read_text()):
                found[name] = found.get(name, 0) + count
    return found


def _by_object(text: str) -> Iterator[tuple[str, int]]:
    # The own cost after each "ob=" line. callgrind writes each name once, and later only its
    # number.
    names: dict[str, str] = {}
    name, is_call = "", False
    for line in text.splitlines():
        if line.startswith("ob="):
            number, _, said = line[3:].partition(" ")
            name = names.setdefault(number, said)
        elif line.startswith("cob="):
            number, _, said = line[4:].partition(" ")
            names.setdefault(number, said)
        elif line.startswith("calls="):
            is_call = True  # the next line is the callee's cost
        elif line[:1] in "0123456789+-*":
            if not is_call and " " in line:  # a position without a cost
                yield name, int(line.split()[1])
            is_call = False


def added(
    mpi: MPI,
    command: Sequence[str | Path],
    n: int,
    few: int,
    many: int,
    options: Sequence[str] = (),
) -> float:
    """One plus the wrapper's instructions per instruction of the program, between `few` and `many`
    iterations.

    The MPI library's instructions are not counted: the library spends most of them on waiting.
    """
    counts = []
    for iterations in (few, many):
        found = _instructions(mpi, WATCHED, [*command, str(iterations)], n, options)
        wrapper = sum(count for name, count in found.items() if "mpipp" in name)
        own = sum(count for name, count in found.items() if name == str(command[0]))
        counts.append((wrapper, own))
    (wrapper, own), (more, most) = counts
    return 1 + (more - wrapper) / (most - own)


def _self_instructions(mpi: MPI) -> float:
    # The instructions that watching adds to a call.
    totals = []
    for how in (WATCHED, ALONE):
        few, many = (
            sum(_instructions(mpi, how, [_loops(mpi), "self", str(count)]).values())
            for count in (2000, 12000)
        )
        totals.append((many - few) / 11000)  # the loop makes 1.1 x count rounds
    return (totals[0] - totals[1]) / 3  # each iteration makes three calls: Irecv, Isend, Waitall


# Figures.


def _kernels(mpi: MPI) -> Iterator[Figure]:
    ratios: dict[str, list[float]] = {WRAPPED: [], WATCHED: []}
    for name, iterations in KERNELS.items():
        program = kernel(mpi, name)
        least = _least(mpi, [program, str(iterations)], 2, ROUNDS)
        for how in (WRAPPED, WATCHED):
            ratios[how].append(least[how] / least[ALONE])
            note = f"of {least[ALONE]:.3f} s"
            yield Figure(f"{mpi.id}: {name}, {how}", ratios[how][-1], 1.08, "x", note)
        more = added(mpi, [program], 2, _FEW, _FEW + iterations // 10)
        yield Figure(f"{mpi.id}: {name}, watched, instructions", more, 1.08, "x")
        four = _least(mpi, [program, str(iterations // _FEWER)], 4, 3)
        yield Figure(
            f"{mpi.id}: {name}, watched, 4 ranks",
            four[WATCHED] / four[ALONE],
            float("inf"),
            "x",
            f"of {four[ALONE]:.3f} s",
        )
        yield from _queries(mpi, name, iterations)
    for how, those in ratios.items():
        mean = sum(those) / len(those)
        yield Figure(f"{mpi.id}: mean of the kernels, {how}", mean, 1.03, "x")


def _queries(mpi: MPI, name: str, iterations: int) -> Iterator[Figure]:
    asked = []
    for count in (_FEW, iterations):
        with tempfile.TemporaryDirectory() as directory:
            command: list[str | Path] = [kernel(mpi, name), str(count)]
            ran(mpi, WATCHED, command, options=("--report", directory))
            asked.append(json.loads((Path(directory) / "findings.json").read_text())["queries"])
    more = asked[1] - asked[0]
    yield Figure(f"{mpi.id}: {name}, queries after {_FEW} iterations", more, 0, "")


def _loop_figures(mpi: MPI) -> Iterator[Figure]:
    for loop, count, n, aims in (
        ("self", 500_000, 1, (float("inf"), float("inf"))),
        ("datatypes", 300_000, 1, (1.35, 1.7)),
        ("allreduce", 100_000, 2, (1.15, 1.15)),
        ("ping-pong", 100_000, 2, (1.05, 1.15)),
    ):
        least = _least(mpi, [_loops(mpi), loop, str(count)], n, 9)
        for how, aim in zip((WRAPPED, WATCHED), aims):
            yield Figure(f"{mpi.id}: {loop}, {how}", least[how] / least[ALONE], aim, "x")
    more = _self_instructions(mpi)
    yield Figure(f"{mpi.id}: self, watched, instructions added per call", more, _SELF_AIM, "")


def _strict(mpi: MPI) -> Iterator[Figure]:
    # Collective calls that are compared before they start. An infinite limit means no aim.
    aims = {"allreduce": 3.2, "bcast": float("inf"), "barrier": float("inf"), "ping-pong": 2.0}
    for loop, aim in aims.items():
        least = _least(mpi, [_loops(mpi), loop, "50000"], 2, 9, (ALONE, STRICT))
        note = f"of {least[ALONE] * 1e9:.0f} ns"
        yield Figure(f"{mpi.id}: {loop}, strict", least[STRICT] / least[ALONE], aim, "x", note)
    for name, iterations in KERNELS.items():
        aim = 1.25 if name.startswith(("halo", "transpose")) else float("inf")
        least = _least(mpi, [kernel(mpi, name), str(iterations)], 2, 7, (ALONE, STRICT))
        yield Figure(f"{mpi.id}: {name}, strict", least[STRICT] / least[ALONE], aim, "x")


def _ledger(mpi: MPI) -> Path:
    flags = ("-O2", "-w", f"-I{ROOT / 'wrapper'}", "-ldl")
    return compile_program(PROGRAMS / "ledger.c", mpi, flags)


def _ledgers(mpi: MPI) -> Iterator[Figure]:
    for name, (count, aim) in _LEDGER_AIMS.items():
        kept = float(ran(mpi, WRAPPED, [_ledger(mpi), name, str(count)], 1).words[0])
        yield Figure(f"{mpi.id}: ledger of {count:,} messages, {name}", kept, aim, "bytes")
    found = ran(mpi, WATCHED, [_ledger(mpi), "random", "250000"], 4)
    late = found.ended - float(found.words[1])
    yield Figure(f"{mpi.id}: end of run, 4 ranks, 10^6 random messages", late, 5, "s")


def _starts(mpi: MPI) -> Iterator[Figure]:
    # The time of `mpipp exec` before the program runs, and the time that a very short run takes
    # longer.
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": mpi.wrapper}
    for options in ((), ("--check",)):
        words = [sys.executable, "-m", "mpipp.cli", "exec", *options, "--", "date", "+%s.%N"]
        times = []
        for _ in range(11):
            begin = time.time()
            said = subprocess.check_output(words, env=env, stderr=subprocess.DEVNULL, text=True)
            times.append(float(said) - begin)
        what = " ".join(["mpipp exec", *options])
        yield Figure(f"{mpi.id}: {what}, until the program", min(times) * 1e3, 60, "ms")
    least = {}
    for how in (ALONE, WATCHED):
        runs = []
        for _ in range(7):
            begin = time.time()
            runs.append(ran(mpi, how, [kernel(mpi, "cg"), "1"]).ended - begin)
        least[how] = min(runs)
    more = (least[WATCHED] - least[ALONE]) * 1e3
    yield Figure(f"{mpi.id}: mpipp run --check, added to a run", more, float("inf"), "ms")


def figures(mpi: MPI) -> Iterator[Figure]:
    """All figures of one MPI."""
    os.environ.pop("MPIPP_LEDGER", None)
    yield from _starts(mpi)
    yield from _ledgers(mpi)
    yield from _loop_figures(mpi)
    yield from _strict(mpi)
    yield from _kernels(mpi)
