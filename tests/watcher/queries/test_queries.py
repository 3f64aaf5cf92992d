# SPDX-License-Identifier: MIT
"""Each call of a watched program is checked, even if it returned long before the end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import support
from tests.analysis import test_mistakes
from tests.short import some
from tests.support import MPI
from tests.watcher import runs, screened


@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("source", [test_mistakes.PROGRAM, test_mistakes.MARKED])
def test_mistakes_are_found_while_it_runs(mpi: MPI, source: Path, tmp_path: Path) -> None:
    """A watched run finds all that `mpipp check` finds in gdb, stopped in each of the calls."""
    program = support.compile_program(source, mpi, ["-g", "-O0", "-w", "-ldl"])
    said, report = tmp_path / "said", tmp_path / "report"
    preload = f"LD_PRELOAD={mpi.wrapper}:{test_mistakes.hook(mpi)}"
    words: list[str | Path] = ["env", preload, f"TAKEN_SAID={said}", program]
    found = runs.run(mpi, words, "--mpicc", mpi.mpicc, "--report", str(report), n=1)
    assert found.status == 0
    wanted = {line for line in said.read_text().splitlines() if line}
    content = json.loads((report / "findings.json").read_text())
    told = {f"{one['check']}: {one['what']}" for one in content["findings"]}
    # Findings from MPI's error codes, which a hook records.
    told = {line for line in told if not line.startswith("returned-code: ")}
    # After MPI_Finalize the watcher reports calls only as long as it runs.
    missing = {line for line in wanted - told if not line.startswith("lifetime: ")}
    assert (missing, told - wanted, content["not_checked"]) == (set(), set(), [])


@support.on_mpi("mpich4", "openmpi4")
def test_screens_clear_nothing_wrong(mpi: MPI, tmp_path: Path) -> None:
    """20,000 random calls with both libraries; `make fuzz` makes more."""
    seed = 7 if mpi.id == "mpich4" else 8
    found = screened.run(mpi, seed, some(10_000) // screened.PROCESSES)
    last = [line for line in found.last if not line.startswith("mpipp: also in rank ")]
    assert found.status == 0 and len(last) == 1, found.last
    assert len(found.blocks) > 20


OVERLAP = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    int data[8] = {0}, from[4] = {0}, to[4];
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 50; i++) {
        MPI_Isend(data, 4, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[0]);
        MPI_Irecv(data + 3, 4, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[1]);
        MPI_Isend(from, 4, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[2]);
        MPI_Irecv(to, 4, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_an_overlap_with_what_was_pending_is_found(mpi: MPI) -> None:
    """Both operations have completed when the watcher checks them. One finding has all
    processes."""
    program = support.compile_program(OVERLAP, mpi, ("-g", "-O0", "-w"))
    found, queries = runs.run_with_queries(mpi, [program])
    block = runs.only(found.blocks)
    lines = re.sub("0x[0-9a-f]+", "ADDRESS", block).splitlines()
    comm, buf, file = 'comm = "MPI_COMM_SELF"', "buf = ADDRESS (4 MPI_INT)", source(lines[2])
    assert lines[:7] == [
        "error: MPI_Irecv and MPI_Isend write and read the same memory, [ADDRESS, ADDRESS)",
        f"  ranks 0 and 1: MPI_Irecv(source = 0, tag = 4, {comm}, {buf})",
        f"    called at {file}:9 in main",
        "    writes buf(INT)",
        f"  ranks 0 and 1: MPI_Isend(dest = 0, tag = 3, {comm}, {buf}), request #1",
        f"    called at {file}:8 in main",
        "    reads buf[3](INT)",
    ]
    last = ["mpipp: 1 error in 2 processes (504 MPI calls checked)"]
    assert (found.last, queries) == (last, 2)


REDUCED = """\
#include <mpi.h>
#include <stdbool.h>
int main(int argc, char **argv)
{
    bool mine[2] = {true}, all[2];
    int number = 0, got;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Reduce(mine, all, 2, MPI_C_BOOL, MPI_PROD, 0, MPI_COMM_WORLD);
    MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_what_only_the_root_gives_makes_no_finding_of_its_own(mpi: MPI) -> None:
    """The root's arguments alone are no difference. A missing target is shown as a number, even if
    a constant has that value."""
    found = runs.run(mpi, [support.compile_program(REDUCED, mpi, ("-g", "-O0", "-w"))])
    reduced, got = (re.sub("0x[0-9a-f]+", "ADDRESS", block) for block in found.blocks)
    arguments = (
        'root = 0, comm = "MPI_COMM_WORLD", op = "MPI_PROD", sendbuf = ADDRESS (2 MPI_C_BOOL)'
    )
    assert reduced.splitlines()[:2] == [
        "error: MPI_PROD is not defined for MPI_C_BOOL (sendbuf): that is one of the logical types",
        f"  ranks 0 and 1: MPI_Reduce({arguments}, recvbuf = ADDRESS (2 MPI_C_BOOL))",
    ]
    assert "\n  shown as in rank 0\n" in reduced
    number = {"mpich4": -2, "openmpi4": -1}[mpi.id]
    what, call, *_ = got.splitlines()
    assert what == f"error: target_rank is {number}, but the window has the ranks 0 to 1"
    assert call.startswith(f"  ranks 0 and 1: MPI_Get(target_rank = {number}, win = ")


NOBODY = """\
#include <mpi.h>
#include <stdio.h>
static int add(int target, MPI_Win win) {
  int sum;
  return MPI_Fetch_and_op((void *)8, &sum, MPI_INT, target, 0, MPI_SUM, win);
}
int main(int argc, char **argv) {
  int *memory;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, win);
  int nobody = add(MPI_PROC_NULL, win) == MPI_SUCCESS;
  int somebody = add(0, win) == MPI_SUCCESS;
  printf("%d %d\\n", nobody, somebody);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_what_is_right_of_nobody_is_not_so_of_others(mpi: MPI) -> None:
    """A valid call that does not use an address must not clear a call that uses it."""
    program = support.compile_program(NOBODY, mpi, ("-g", "-O0", "-w"))
    found = runs.run(mpi, [program], "--on-error", "handler", n=1)
    assert found.output == "1 0\n", found
    (block,) = found.blocks
    assert block.startswith("error: origin_addr of MPI_Fetch_and_op lies in unmapped memory"), block


COLUMNS = """\
#include <mpi.h>
#include <string.h>
enum { ROWS = 50, COLUMNS = 200 };
static double matrix[ROWS][COLUMNS + 1];
int main(int argc, char **argv)
{
    double sent = 0, packed[ROWS];
    int used = 0;
    MPI_Request requests[COLUMNS];
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(ROWS, 1, COLUMNS + 1, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < COLUMNS; i++)
        MPI_Irecv(&matrix[0][i], 1, column, 0, 1, MPI_COMM_SELF, &requests[i]);
    if (!strcmp(argv[1], "beside"))
        MPI_Pack(&matrix[0][COLUMNS], 1, column, packed, sizeof packed, &used, MPI_COMM_SELF);
    if (!strcmp(argv[1], "same"))
        MPI_Pack(&matrix[0][150], 1, column, packed, sizeof packed, &used, MPI_COMM_SELF);
    if (!strcmp(argv[1], "between"))
        MPI_Pack(&matrix[25][COLUMNS], 1, MPI_DOUBLE, packed, sizeof packed, &used, MPI_COMM_SELF);
    for (int i = 0; i < COLUMNS; i++) MPI_Send(&sent, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
    MPI_Waitall(COLUMNS, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_one_of_many_columns_that_are_pending_is_found(mpi: MPI) -> None:
    """The boxes of all columns overlap. If there are too many to check, that is reported."""
    program = support.compile_program(COLUMNS, mpi, ("-g", "-O0", "-w"))
    (beside, none), (same, one), (between, _) = (
        runs.run_with_queries(mpi, [program, word], n=1) for word in ("beside", "same", "between")
    )
    assert (none, one) == (0, 1)
    assert beside.blocks == []
    assert beside.last == ["mpipp: no errors in 1 process (407 MPI calls checked)"]
    block = runs.only(same.blocks)
    lines = re.sub("0x[0-9a-f]+", "ADDRESS", block).splitlines()
    assert lines[0] == (
        "error: MPI_Pack and MPI_Irecv write and read the same memory, [ADDRESS, ADDRESS)"
    )
    assert lines[4].endswith("request #151"), lines[4]
    assert same.last == ["mpipp: 1 error in 1 process (407 MPI calls checked)"]
    assert between.blocks == []
    assert between.last == [
        "mpipp: not checked: rank 0: 1 call because too many calls waited for the watcher at once",
        "mpipp: nothing found in 1 process (407 MPI calls checked)",
    ]


def source(line: str) -> str:
    """The name of the file, which shows its kind of calls."""
    return line.split()[2].partition(":")[0]


@support.on_mpi("mpich4", "openmpi4")
def test_a_process_stops_in_the_call(mpi: MPI) -> None:
    program = support.compile_program(OVERLAP, mpi, ("-g", "-O0", "-w"))
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    with support.running(
        [sys.executable, "-m", "mpipp.cli", *runs.words(mpi, "--stop", n=1), program],
        env={**support.clean_environment(PYTHONPATH=str(support.ROOT)), **known},
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stderr
        line = next(line for line in run.stderr if " stops there: " in line)
        found = re.fullmatch(
            r"  rank 0 stops there: mpipp attach (\d+); kill -CONT \1 continues it\n", line
        )
        assert found, line
        pid = int(found[1])
        stat = Path(f"/proc/{pid}/stat")
        while stat.read_text().rpartition(")")[2].split()[0] != "T":
            os.sched_yield()
        os.kill(pid, signal.SIGCONT)
        rest = run.stderr.read()
        assert run.wait() == 0
    assert rest.splitlines()[-1] == "mpipp: 1 error in 1 process (252 MPI calls checked)"


@pytest.mark.thorough
@support.on_mpi("mpich4", "openmpi4")
def test_a_call_that_began_before_there_were_several_threads_is_met(mpi: MPI) -> None:
    program = runs.program("first_call.c", mpi, "-pthread")
    found = runs.run(mpi, [program, "wrong"], n=1)
    block = runs.only(found.blocks)
    assert block.startswith("error: MPI_Irecv and MPI_Reduce_local write the same memory, [0x")
    assert runs.run(mpi, [program, "right"], n=1).blocks == []
    # Facts about one thread are certain, even if other threads may call MPI. Later facts are not.
    block = runs.only(runs.run(mpi, [program, "freed"], n=1).blocks)
    assert block.startswith(
        "warning: the request of MPI_Irecv is freed while a message is being received"
    )
    assert block.splitlines()[2].endswith(":43 in main"), block


LATE = """\
#include <mpi.h>
#include <stdlib.h>
static void call(int which)
{
    double in, out = 1;
    if (which & 1) MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (which & 2) MPI_Bcast(&out, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (which & 4) MPI_Allgather(&out, 1, MPI_DOUBLE, &in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) call(7);
    MPI_Finalize();
    call(atoi(argv[1]));
    return 0;
}
"""


@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(("which", "name"), [(1, "Allreduce"), (2, "Bcast"), (4, "Allgather")])
def test_a_call_that_was_fine_before_the_end(mpi: MPI, which: int, name: str) -> None:
    """A call after MPI_Finalize is a new query, even if it was correct before."""
    program = support.compile_program(LATE, mpi, ("-g", "-O0", "-w"))
    command: list[str | Path] = [program, str(which)]
    found, queries = runs.run_with_queries(mpi, command, "--on-error", "handler", n=1)
    block = runs.only(found.blocks)
    first, call, place, *_ = block.splitlines()
    assert first == f"error: MPI_{name} is called after MPI_Finalize"
    assert call.startswith(f"  rank 0: MPI_{name}(")
    assert place == f"    called at main.c:{6 + which // 2} in call"
    last = "mpipp: 1 error in 1 process (12 MPI calls checked)"
    assert (found.last[0], queries) == (last, 1)


@support.on_mpi("openmpi4", "openmpi5")
def test_what_was_freed_since_was_there(mpi: MPI) -> None:
    """If the wrapper has not recorded an object, its memory is checked from the time of
    the call."""
    program = runs.program("unrecorded_comm.c", mpi)
    found = runs.run(mpi, [program, "there"], n=1)
    assert (found.status, found.blocks) == (0, [])
    found = runs.run(mpi, [program, "zeros"], n=1)
    assert "points to zeros, not to an object" in found.blocks[0]
