# SPDX-License-Identifier: MIT
"""All ranks in one gdb: the start, the reaction to commands, the stacks with and without gdb."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.table import Figure, seconds
from mpipp.ranks import stack_tree
from mpipp.ranks.stack_tree import ARGUMENTS, StackTree, Step
from mpipp.ranks.stack_tree import MPI as CALL
from tests.debug.terminal import Debugger, debugging
from tests.support import BUILD, MPI, ROOT, clean_environment, compile_program

PROGRAMS = ROOT / "tests" / "debug" / "programs"
LARGE = BUILD / "large-debug-information"
RANKS, MANY, NODE = 16, 64, 64
STACKS = 10_000
ROUNDS = 5
# The large program, of 50 MB of debug information.
_FILES, _FUNCTIONS = 40, 310
_LONG_NAME = "a_name_as_long_as_those_that_templates_have"
_MAIN = """\
#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def figures(mpi: MPI) -> Iterator[Figure]:
    """All figures of one MPI."""
    program = compile_program(PROGRAMS / "ring.c", mpi)
    begun = time.perf_counter()
    with debugging(program, mpi, RANKS) as gdb:
        yield figure(mpi, f"{RANKS} ranks stopped in main", time.perf_counter() - begun, 2)
        gdb.ask("break relax")
        gdb.ask("mpipp continue")
        yield figure(mpi, "first mpipp where", seconds(lambda: gdb.ask("mpipp where")), 0.3)
        yield figure(mpi, "mpipp where", best(lambda: gdb.ask("mpipp where")), 0.3)
        yield figure(mpi, "mpipp next", best(lambda: gdb.ask("mpipp next")), 0.3)
        yield figure(mpi, "mpipp print", best(lambda: gdb.ask("mpipp print rank --ranks")), 0.3)
        yield figure(mpi, "mpipp status", best(lambda: gdb.ask("mpipp status")), 0.3)
        gdb.ask("mpipp detach")
    yield from large(mpi)


def figure(mpi: MPI, what: str, value: float, aim: float) -> Figure:
    return Figure(f"{mpi.id}: mpipp debug, {what}", value, aim, "s")


def best(action: Callable[[], object]) -> float:
    return min(seconds(action) for _ in range(ROUNDS))


def large(mpi: MPI) -> Iterator[Figure]:
    """Many ranks of a program with much debug information."""
    program = large_program(mpi)
    megabytes = debug_information(program) / 1e6
    note = f"{megabytes:.0f} MB of debug information"
    words = ["-n", str(MANY), "--mpiexec", shlex.join(mpi.mpiexec), "--gdb-options=-nx"]
    begun = time.perf_counter()
    gdb = Debugger([*words, "--", str(program)], mpi, {})
    try:
        passed = time.perf_counter() - begun
        if f"ranks 0 to {MANY - 1}: main at" not in "".join(gdb.start):
            raise RuntimeError(f"not all ranks have stopped: {gdb.start}")
        yield Figure(f"{mpi.id}: mpipp debug, {MANY} ranks stopped in main", passed, 30, "s", note)
        gdb.ask("mpipp where")
        used = resident(gdb) / 1e9
        yield Figure(f"{mpi.id}: memory of gdb with {MANY} ranks", used, 4, "GB", note)
    finally:
        gdb.child.close(force=True)


def large_program(mpi: MPI) -> Path:
    """A program of many files, whose functions have types and variables of their own."""
    directory = LARGE / mpi.id
    program = directory / "large"
    if program.exists():
        return program
    directory.mkdir(parents=True, exist_ok=True)
    paths = [directory / f"part{number}.c" for number in range(_FILES)]
    for number, path in enumerate(paths):
        path.write_text("".join(function(number, n) for n in range(_FUNCTIONS)))
    (directory / "main.c").write_text(_MAIN)
    words = [mpi.mpicc, "-g", "-O0", *map(str, [*paths, directory / "main.c"]), "-o", str(program)]
    subprocess.run(words, env=dict(mpi.env), check=True)
    return program


def function(file: int, number: int) -> str:
    """The source of one function."""
    name = f"{_LONG_NAME}_{file}_{number}"
    members = "".join(f"double member_of_{name}_{m}; " for m in range(40))
    variables = "".join(f"int variable_of_{name}_{v} = v * {v}; " for v in range(10))
    total = " + ".join(f"variable_of_{name}_{v}" for v in range(10))
    return (
        f"struct {name} {{ {members}}};\n"
        f"double function_{name}(int v, struct {name} *t) {{ {variables}"
        f"return {total} + t->member_of_{name}_0; }}\n"
    )


def debug_information(program: Path) -> int:
    """Bytes of the sections with debug information."""
    done = subprocess.run(["size", "-A", program], capture_output=True, text=True, check=True)
    return sum(int(number) for number in re.findall(r"^\.debug\S* +(\d+)", done.stdout, re.M))


def resident(gdb: Debugger) -> int:
    """The most memory that gdb has had, in bytes."""
    (line,) = gdb.ask("python print([x for x in open('/proc/self/status') if 'VmHWM' in x][0])")
    return int(line.split()[1]) * 1024


def merging() -> Iterator[Figure]:
    """The stacks of many ranks: each node has merged its own."""
    for what, differs in (("equal callers", False), ("every stack differs", True)):
        records = [stack_tree.record(node(first, differs)) for first in range(0, STACKS, NODE)]
        shown: list[str] = []

        def merge(records: Sequence[object] = records, shown: list[str] = shown) -> None:
            whole = StackTree()
            for record in records:
                whole.merge(stack_tree.from_record(record))
            shown[:] = stack_tree.lines(whole)

        yield Figure(f"{STACKS} ranks' stacks merged, {what}", best(merge), 2, "s")


def node(first: int, differs: bool) -> StackTree:
    """The stacks of one node."""
    tree = StackTree()
    for rank in range(first, min(STACKS, first + NODE)):
        line = rank if differs else 3
        callers = [Step(f"deep.c:{line} in f{number}") for number in range(4)]
        tree.add(rank, [*callers, Step("MPI_Recv", CALL), Step(f"source {rank}", ARGUMENTS)])
    return tree


def standing(mpi: MPI) -> Iterator[Figure]:
    """The longest time for which `mpipp stacks` stops a process."""
    program = compile_program(ROOT / "tests/gdb/programs/look.c", mpi)
    words = [*mpi.mpiexec, "-n", "4", "env", f"LD_PRELOAD={mpi.preload()}", str(program)]
    with subprocess.Popen(words, env=dict(mpi.env), stdout=subprocess.DEVNULL) as launcher:
        try:
            time.sleep(5)  # all ranks are where they stay
            times = [stood(launcher.pid) for _ in range(ROUNDS)]
        finally:
            launcher.terminate()
    yield Figure(f"{mpi.id}: mpipp stacks, a process is stopped for", min(times), 100, "ms")


def stood(launcher: int) -> float:
    """The longest time that a process was stopped, in milliseconds."""
    words = [sys.executable, "-m", "mpipp.cli", "stacks", str(launcher)]
    env = clean_environment(PYTHONPATH=str(ROOT))
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    return float(re.findall(r"more than (\d+) ms", done.stdout)[0])
