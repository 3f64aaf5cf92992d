# SPDX-License-Identifier: MIT
"""Conflicts of threads in regions of OpenMP, with the runtimes of GCC and LLVM."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.support import MPI, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "thread_order/openmp.c")
RACING = (
    *("barrier_racing", "critical_racing", "loop_racing", "master_racing", "origin_racing"),
    *("single_racing", "target_racing", "task_racing"),
)


PAIRS = program_source("analysis/rma", "thread_order/hybrid.c")
each_compiler = pytest.mark.parametrize("compiler", ["gcc", "clang"])


def functions(source: Path) -> dict[int, str]:
    """The function of each line. Frames of Clang do not name the function of a region."""
    found, name = {}, ""
    for number, line in enumerate(source.read_text().splitlines(), 1):
        begun = re.match(r"\w[\w ]*[ *](\w+)\(.*\{$", line)
        name = begun[1] if begun else name
        found[number] = name
    return found


@pytest.mark.each_case
@on_mpi("mpich4")
@each_compiler
def test_regions_order_threads(mpi: MPI, compiler: str, tmp_path: Path) -> None:
    program = runs.compiled(SOURCE, mpi, tmp_path, "-fopenmp", gcc=compiler == "gcc")
    run = runs.run(mpi, [program], "--check=rma")
    names = functions(SOURCE)
    found = []
    for block in run.blocks:
        accesses = re.findall(r": a (?:load|store)\n +at \w+\.c:(\d+)", block)
        assert len(accesses) == 1, block
        found += [names[int(line)] for line in accesses]
    assert sorted(found) == sorted(RACING)
    assert (run.status, run.output) == (0, "")


@pytest.mark.each_case
@on_mpi("mpich4", "openmpi4")
@each_compiler
def test_pairs_race_only_without_order(mpi: MPI, compiler: str, tmp_path: Path) -> None:
    program = runs.compiled(PAIRS, mpi, tmp_path, "-fopenmp", gcc=compiler == "gcc")
    ordered = runs.run(mpi, [program], "--check=rma")
    assert (ordered.status, ordered.blocks) == (0, [])
    assert not [line for line in ordered.last if "not checked" in line]
    lines = PAIRS.read_text().splitlines()
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("// race")}
    racing = runs.run(mpi, [program, "racing"], "--check=rma")
    found = [
        {int(line) for line in re.findall(r"hybrid\.c:(\d+)", block)} & marked
        for block in racing.blocks
    ]
    assert all(found), racing.blocks
    assert set().union(*found) == marked


@on_mpi("mpich4", "openmpi4")
def test_each_thread_gets_a_section(mpi: MPI, tmp_path: Path) -> None:
    """On one processor, one thread alone could execute all sections."""
    source = program_source("analysis/rma", "thread_order/sections.c")
    program = runs.compiled(source, mpi, tmp_path, "-fopenmp", gcc=True)
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})  # the run inherits it
    try:
        run = runs.run(mpi, [program], "--check=rma")
    finally:
        os.sched_setaffinity(0, processors)
    lines = source.read_text().splitlines()
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("// race")}
    found = [set(map(int, re.findall(r"sections\.c:(\d+)", block))) for block in run.blocks]
    assert sorted(line for one in found for line in one & marked) == sorted(marked)


@pytest.mark.each_case
@on_mpi("mpich4")
@each_compiler
def test_memory_of_completed_operations(mpi: MPI, compiler: str, tmp_path: Path) -> None:
    """Static memory, and the first thread's stack, which belong to no window."""
    source = program_source("analysis/rma", "thread_order/completed.c")
    program = runs.compiled(source, mpi, tmp_path, "-fopenmp", gcc=compiler == "gcc")
    assert runs.run(mpi, [program], "--check=rma").blocks == []
    racing = runs.run(mpi, [program, "racing"], "--check=rma")
    lines = source.read_text().splitlines()
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("// race")}
    found = [set(map(int, re.findall(r"completed\.c:(\d+)", block))) for block in racing.blocks]
    assert sorted(line for one in found for line in one & marked) == sorted(marked)


@on_mpi("mpich4")
def test_a_runtime_without_reports_leaves_the_order_open(mpi: MPI, tmp_path: Path) -> None:
    """Then mpipp takes the order of the log, and says so."""
    program = runs.compiled(SOURCE, mpi, tmp_path, "-fopenmp")
    run = runs.run(mpi, [program], "--check=rma", OMP_TOOL="disabled")
    assert any("mpipp assumes that" in line for line in run.last), run.last
