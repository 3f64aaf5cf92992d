# SPDX-License-Identifier: MIT
"""The ends of programs under `mpipp run --check`, on every MPI."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests import short, support
from tests.support import MPI, every_mpi, on_mpi, repeated
from tests.watcher import runs
from tests.watcher.history.test_shared_channels import THREADS

ALL_IS_WELL = "mpipp: no errors in 2 processes (15 MPI calls checked)"
FINALIZE = (
    "  rule: MPI-4.1, section 11.2.2: a process must call MPI_Finalize before it ends\n  to do: "
)
LEAK = """\
warning: 1 datatype is not freed
  ranks 0 and 1: MPI_Datatype #{serial}, VECTOR[3, 2, 4], size 24, extent 40, not committed
    made at ends.c:78 in main
  rule: MPI-4.1, section 11.2.2: a program should free its objects before MPI_Finalize
  to do: call MPI_Type_free after the last use
  MUST: MUST_ERROR_LEAK_DATATYPE"""
DIED = (
    """\
error: a process has died, {how}
  rank 1: not in MPI; its last call was MPI_Probe
    called at ends.c:71 in main
    meanwhile rank 0: MPI_Ssend(dest 1, tag 9), called at ends.c:75 in main
"""
    + FINALIZE
)
HOW = {
    "segv": "by SIGSEGV",
    "kill": "by SIGKILL",
    "abort": "by SIGABRT",
    "_exit": "with exit status 3",
}
EXITED = (
    """\
error: a process has ended without MPI_Finalize
  rank 1: calls exit
    called at ends.c:53 in end
    from ends.c:72 in main
    end: how = 0x... "exit"
  rank 1: not in MPI; its last call was MPI_Probe
    called at ends.c:71 in main
    meanwhile rank 0: MPI_Ssend(dest 1, tag 9), called at ends.c:75 in main
"""
    + FINALIZE
    + "call MPI_Finalize before the program returns from main or calls exit"
)
ABORTED = """\
warning: a process has called MPI_Abort
  rank 1: MPI_Abort(comm = "MPI_COMM_WORLD", errorcode = 7)
    called at ends.c:56 in end
    meanwhile rank 0: MPI_Ssend(dest 1, tag 9), called at ends.c:75 in main
  rule: MPI-4.1, section 11.4.2: MPI_Abort ends all processes of a job immediately
  to do: nothing, if the program aborts here on purpose"""


@every_mpi
def test_nothing_is_wrong(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("ends.c", mpi), "well"])
    assert found == (0, "well\n", [], [ALL_IS_WELL])


@every_mpi
def test_an_exit_status(mpi: MPI) -> None:
    """The exit status may have any reason, so the result is unknown."""
    found = runs.run(mpi, [runs.program("ends.c", mpi), "three"])
    line = "mpipp: nothing found in 2 processes (15 MPI calls checked); exit status 3"
    assert found == (3, "three\n", [], [line])


@every_mpi
def test_a_leak(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("ends.c", mpi), "leak"])
    (block,) = found.blocks
    assert "MPI_Datatype #" in block
    serial = block.split("#")[1].split(",")[0]
    assert block == mpi.cited(LEAK.format(serial=serial))
    assert (found.status, found.last) == (
        0,
        ["mpipp: 1 warning in 2 processes (13 MPI calls checked)"],
    )


# If the launcher ends the sender before its call returns, the report shows that call, too.
WRONG_CALL = (
    "remark: a process has died in a call that is wrong",
    "remark: 2 processes have died in a call that is wrong",
)


@on_mpi("mpich4", "openmpi4")
def test_mpi_ends_the_program(mpi: MPI) -> None:
    # The launcher may end the other process before MPI_Finalize or in it.
    found = runs.run(mpi, [runs.program("fatal.c", mpi)])
    compared, died = (block.splitlines() for block in found.blocks)
    assert died[0] in WRONG_CALL
    call = 'MPI_Bcast(root = 0, comm = "MPI_COMM_WORLD", buffer = 0x'
    assert [line[:10] for line in died if call in line] in (
        ["  rank 1: "],
        ["  rank 0: ", "  rank 1: "],
    )
    assert compared[0] == "error: 4 elements sent, but only 3 received"
    (last,) = found.last
    assert last in [
        f"mpipp: 1 error in 2 processes ({calls} MPI calls checked)" for calls in (8, 9)
    ]


def died(how: str) -> str:
    """The report about the death, with advice."""
    advice = "read its output"
    if how != "_exit" or not runs.TELLS_ENDINGS:
        advice += ", and open its core file with mpipp gdb"
    if not runs.TELLS_ENDINGS:
        advice += "; the launcher's message names the signal"
    return DIED.format(how=runs.how(HOW[how])) + advice


@every_mpi
@pytest.mark.parametrize("how", ["segv", "exit", "_exit", "MPI_Abort", *repeated("kill", "abort")])
def test_a_process_ends(mpi: MPI, how: str) -> None:
    found = runs.run(mpi, [runs.program("ends.c", mpi), how])
    expected = {"exit": EXITED, "MPI_Abort": ABORTED}.get(how) or died(how)
    blocks = [re.sub("0x[0-9a-f]+", "0x...", block) for block in found.blocks]
    assert blocks == [mpi.cited(expected)]
    assert found.status != 0 and len(found.last) == 1


WRONG_TYPE = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Datatype type;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Type_contiguous(-1, MPI_INT, &type);
  else MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
"""
WRONG_TYPE_DIED = (
    """\
remark: a process has died in a call that is wrong
  rank 0: MPI_Type_contiguous()
    called at main.c:7 in main
  rule: MPI-4.1, section 11.2.2: a process must call MPI_Finalize before it ends
  to do: correct the call: MPI most likely ended the program because of this error, as """
    "its default error handler does"
)


@on_mpi("mpich4", "openmpi4")
def test_mpi_ends_the_program_in_a_constructor(mpi: MPI) -> None:
    """The call's arguments were on the lost stack, but the process is still reported."""
    found = runs.run(mpi, [support.compile_program(WRONG_TYPE, mpi, ("-g", "-w"))])
    wrong, died = found.blocks
    assert wrong.splitlines()[:2] == [
        "error: count is -1",
        '  rank 0: MPI_Type_contiguous(count = -1, oldtype = "MPI_INT")',
    ]
    # The state of the other process depends on the launcher.
    lines = [line for line in died.splitlines() if "    meanwhile rank 1: " not in line]
    assert "\n".join(lines) == mpi.cited(WRONG_TYPE_DIED)
    assert len(found.last) == 1  # everything was checked


NO_EPOCH = """\
#include <mpi.h>
static int memory[4], own[4];
int main(int argc, char **argv) {
  int rank;
  MPI_Win window, second;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) MPI_Put(own, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
  MPI_Win_free(&second);
  MPI_Win_free(&window);
  MPI_Finalize();
}
"""


@on_mpi("mpich4", "openmpi4")
def test_what_only_logs_tell_comes_before_the_end(mpi: MPI) -> None:
    """A process is not blamed if it waits in a collective call for a process that MPI ended."""
    program = support.compile_program(NO_EPOCH, mpi, ("-g", "-w"))
    wrong, died = runs.run(mpi, [program], "--check=all,rma").blocks
    assert wrong.startswith("error: an operation without an open epoch for its target\n  rank 0: ")
    assert died.startswith("remark: a process has died in a call that is wrong\n  rank 0: MPI_Put(")


IN_INQUIRY = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Comm_size(part, &size);
  else MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
"""
IN_INQUIRY_DIED = """\
remark: a process has died in a call that is wrong
  rank 1: in MPI_Comm_size
    called at main.c:8 in main
    meanwhile rank 0: MPI_Barrier, called at main.c:9 in main
  rule: MPI-4.1, section 11.2.2: a process must call MPI_Finalize before it ends
  to do: correct the call: MPI most likely ended the program because of this error, as its \
default error handler does"""


@on_mpi("mpich4", "openmpi4")
def test_mpi_ends_the_program_in_an_inquiry(mpi: MPI) -> None:
    """For an inquiry, the wrapper records only the handles, and that the process is in the call."""
    found = runs.run(mpi, [support.compile_program(IN_INQUIRY, mpi, ("-g", "-w"))])
    null, block = found.blocks
    assert null.startswith("error: comm is MPI_COMM_NULL, but a communicator is needed\n")
    # The other process may have ended before.
    lines = re.sub(r"meanwhile rank 0: .*", "meanwhile rank 0: {}", block)
    assert lines == re.sub(
        "meanwhile rank 0: .*", "meanwhile rank 0: {}", mpi.cited(IN_INQUIRY_DIED)
    )


GONE = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, in[8] = {0}, out[8];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int sent[2] = {2, 2}, received[2] = {rank ? 1 : 2, 2}, at[2] = {0, 2};
  MPI_Alltoallv(in, sent, at, MPI_INT, out, received, at, MPI_INT, MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


@on_mpi("mpich4", "openmpi4")
def test_counts_that_have_gone_with_the_process(mpi: MPI) -> None:
    """The counts were on the stack of the process."""
    found = runs.run(mpi, [support.compile_program(GONE, mpi, ("-g", "-w"))])
    gone = "the memory of the process no longer exists"
    (block,) = (one for one in found.blocks if "died" in one)
    assert f"(<{gone}>)" in block and "cannot read" not in block
    said = {re.sub(r"rank \d", "rank N", line) for line in found.last[:-1]}
    assert said == {f"mpipp: not checked: rank N: {gone}"}


EXITS_INSIDE = """\
#include <mpi.h>
#include <stdlib.h>
static void leave(MPI_Comm *comm, int *code, ...) { exit(3); }
int main(int argc, char **argv) {
  MPI_Errhandler handler;
  int value;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Send(&value, 1, MPI_INT, 5, 0, MPI_COMM_WORLD);
}
"""


@on_mpi("mpich4", "openmpi4")
def test_a_program_in_fortran_dies_in_a_call(mpi: MPI) -> None:
    """The program's own line is reported, not that of MPI's Fortran layer."""
    found = runs.run(mpi, [runs.program("ends.f90", mpi)])
    assert found.status != 0
    (block,) = (block for block in found.blocks if "died" in block)
    assert block.splitlines()[0] in WRONG_CALL
    places = re.findall(r"called at ([^)\n]*)", block)
    assert places
    assert all(re.fullmatch(r"ends\.f90:1[235] in ends", place) for place in places), block


@on_mpi("mpich4", "openmpi4")
def test_exit_inside_of_a_call(mpi: MPI) -> None:
    program = support.compile_program(EXITS_INSIDE, mpi, ("-g", "-w"))
    blocks = runs.run(mpi, [program], n=1).blocks
    assert "remark: a process has ended in a call that is wrong" in [
        one.partition("\n")[0] for one in blocks
    ]
    # The error in the call does not belong to the selected check.
    found = runs.run(mpi, [program], "--check=leaks", n=1)
    (block,) = (one for one in found.blocks if "without MPI_Finalize" in one)
    assert block.endswith(
        "\n  to do: read the output before this: MPI or an error handler called exit in this call"
    )


PAST = """\
int main(int argc, char **argv)
{
    int rank, four[4] = {0};
    double two[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(four, 4, MPI_INT, 1, 3, MPI_COMM_WORLD);
    else
        MPI_Recv(two, 2, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
"""
MISMATCH = """\
error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_DOUBLE received
  rank 0: MPI_Send(dest = 1, tag = 3, comm = "MPI_COMM_WORLD", buf = 4 MPI_INT)
    called at main.c:9 in main
    sends MPI_INT: buf(INT)
  rank 1: MPI_Recv(source = 0, tag = 3, comm = "MPI_COMM_WORLD", buf = 2 MPI_DOUBLE)
    called at main.c:11 in main
    receives MPI_DOUBLE: buf(DOUBLE)
    message number 1
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""


@every_mpi
def test_what_is_over(mpi: MPI) -> None:
    found = runs.run(mpi, [support.compile_program("#include <mpi.h>\n" + PAST, mpi)])
    assert found == (
        0,
        "",
        [mpi.cited(MISMATCH)],
        ["mpipp: 1 error in 2 processes (8 MPI calls checked)"],
    )


@every_mpi
def test_the_child_of_a_fork_is_not_the_program(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("ends.c", mpi), "fork"])
    assert found == (0, "fork\nchild 4\n", [], [ALL_IS_WELL])


@on_mpi("mpich4", "openmpi4")
def test_findings_are_written(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("ends.c", mpi)
    options = ["--report", str(tmp_path / "report"), "--error-exit", "5"]
    found = runs.run(mpi, [program, "leak"], *options)
    assert found.status == 0  # a warning
    text = support.without_points((tmp_path / "report" / "findings.txt").read_text())
    assert text == f"{found.blocks[0]}\n\n{found.last[0].removeprefix('mpipp: ')}\n"
    content = json.loads((tmp_path / "report" / "findings.json").read_text())
    assert (content["command"], content["processes"], content["calls"]) == ("run", 2, 13)
    (one,) = content["findings"]
    assert (one["id"], one["severity"]) == ("datatype-leak", "warning")
    assert [party["process"] for party in one["parties"]] == ["ranks 0 and 1"]
    assert runs.run(mpi, [program, "exit"], *options).status == 5


@on_mpi("mpich4")
def test_where_the_report_cannot_be_written(mpi: MPI) -> None:
    """The program does not start, because its findings would be lost."""
    found = runs.run(mpi, [runs.program("ends.c", mpi), "well"], "--report", "/proc/none", "-q")
    said = "it cannot be written (No such file or directory): name a directory that only mpipp uses"
    assert found == (2, "", [], [f"mpipp: --report /proc/none: {said}"])


@on_mpi("mpich4", "openmpi4")
def test_several_programs(mpi: MPI) -> None:
    program = runs.program("ends.c", mpi)
    found = runs.run(mpi, [program, "leak", ":", "-n", "1", program, "well"], n=1)
    (block,) = found.blocks
    assert "  rank 0: MPI_Datatype" in block
    assert found.last == ["mpipp: 1 warning in 2 processes (14 MPI calls checked)"]


@on_mpi("mpich4", "openmpi4")
def test_many_processes(mpi: MPI) -> None:
    n = 16 if short.is_short else 64
    found = runs.run(mpi, [runs.program("ends.c", mpi), "leak"], n=n)
    (block,) = found.blocks
    assert f"\n  ranks 0 to {n - 1}: MPI_Datatype #" in block
    assert (found.status, len(found.last)) == (0, 1)


@on_mpi("mpich4", "openmpi4", "mpich5")
def test_mpi4py(mpi: MPI, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from mpi4py import MPI\n"
        "group = MPI.COMM_WORLD.Get_group()\n"
        "print(MPI.COMM_WORLD.allreduce(1))\n"
    )
    found = runs.run(mpi, [mpi.python, script])
    (block,) = found.blocks
    assert block.startswith("warning: 1 group is not freed\n  ranks 0 and 1: MPI_Group #")
    assert (found.status, found.output) == (0, "2\n2\n")


@on_mpi("mpich4", "openmpi4")
def test_threads(mpi: MPI) -> None:
    """Threads that have ended made calls, too. Each has a record that the watcher can read."""
    found = runs.run(mpi, [runs.program("threads.c", mpi, "-pthread")])
    assert found == (
        0,
        "",
        [],
        [THREADS, "mpipp: no errors in 2 processes (4,804 MPI calls checked)"],
    )


WRONG = (
    ("--check --hang-after -1", "--hang-after -1: write a number of seconds, or 0 for never"),
    ("--check=buffers --budget -1", "--budget -1: write a percentage of the time, 0 or more"),
    (
        "--check=fast --budget 5",
        "--budget limits the guards of buffers and --rma-loads: add --check=buffers",
    ),
    ("--check=fast --rma-loads", "--rma-loads checks one-sided communication: add --check=rma"),
    (
        "--check=fast --rma-model separate",
        "--rma-model affects checks of one-sided communication: add --check=rma",
    ),
    ("--gdb=all", "--gdb=all works only in checked runs: add --check"),
    ("--error-exit 3", "--error-exit works only in checked runs: add --check"),
    ("--check --error-exit 256", "--error-exit 256: write an exit status from 1 to 255"),
    ("--check --error-exit 0", "--error-exit 0: write an exit status from 1 to 255"),
    ("--hang-after 5", "--hang-after works only in checked runs: add --check"),
    ("-q", "-q works only in checked runs: add --check"),
)


@pytest.mark.parametrize(("words", "told"), WRONG)
def test_wrong_options(words: str, told: str) -> None:
    """Wrong options are reported before anything is built or started."""
    done = support.shell("run", *words.split(), "--", "no-program")
    assert (done.stderr, done.returncode) == (f"mpipp: {told}\n", 2)


def test_a_wrong_bound_of_the_log() -> None:
    done = support.shell("run", "--check=rma", "--", "no-program", env={"MPIPP_RMA_LOG": "1e6"})
    assert (done.stderr, done.returncode) == (
        "mpipp: MPIPP_RMA_LOG=1e6: set it to a number of bytes\n",
        2,
    )


IN_CALLBACKS = """\
#include <mpi.h>
static MPI_Info info;
static MPI_Op op;
static MPI_Group group;
static MPI_Datatype type;
static MPI_Comm comm;
static MPI_Errhandler handler;
static MPI_Request request;
static void add(void *in, void *inout, int *count, MPI_Datatype *t) {}
static void wrong(MPI_Comm *comm, int *code, ...) {}
static int last(MPI_Comm self, int keyval, void *value, void *state)
{
    if (LEAKS) return MPI_SUCCESS;
    MPI_Info_free(&info);
    MPI_Op_free(&op);
    MPI_Group_free(&group);
    MPI_Type_free(&type);
    MPI_Errhandler_free(&handler);
    MPI_Request_free(&request);
    MPI_Comm_free(&comm);
    return MPI_SUCCESS;
}
int main(int argc, char **argv)
{
    int keyval, data[4];
#if MPI_VERSION >= 4
    MPI_Info late;
    MPI_Info_create(&late);
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &keyval, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &keyval);
    MPI_Info_create(&info);
    MPI_Op_create(add, 1, &op);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Comm_create_errhandler(wrong, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Send_init(data, 4, MPI_INT, 0, 5, comm, &request);
    MPI_Comm_free_keyval(&keyval);
    MPI_Finalize();
#if MPI_VERSION >= 4
    MPI_Info_free(&late);
#endif
    return 0;
}
"""


@pytest.mark.thorough
@support.on_mpi("mpich4", "openmpi4")
def test_what_callbacks_of_comm_self_free_is_no_leak(mpi: MPI) -> None:
    """MPI_Finalize first deletes the attributes of MPI_COMM_SELF (MPI-4.1, section 11.2.4).

    Since MPI-4.0, info objects may be freed after it, too (section 11.4.1).
    """
    calls = 14 if mpi.id == "mpich4" else 12

    def told(leaks: int) -> list[str]:
        flags = ("-g", "-O0", "-w", f"-DLEAKS={leaks}")
        found = runs.run(mpi, [support.compile_program(IN_CALLBACKS, mpi, flags)], n=1)
        return [*sorted(block.splitlines()[0] for block in found.blocks), *found.last]

    assert told(0) == [f"mpipp: no errors in 1 process ({calls} MPI calls checked)"]
    assert told(1) == [
        "warning: 1 communicator is not freed",
        "warning: 1 datatype is not freed",
        "warning: 1 error handler is not freed",
        "warning: 1 group is not freed",
        "warning: 1 info object is not freed",
        "warning: 1 operation is not freed",
        "warning: 1 persistent request is not freed",
        f"mpipp: 7 warnings in 1 process ({calls} MPI calls checked)",
    ]


EXITS_EARLY = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    static int got[4];
    MPI_Request request;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Irecv(got, 4, MPI_INT, 0, 5, copy, &request);
    exit(3);
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_an_early_exit_is_one_finding(mpi: MPI) -> None:
    """Pending requests and objects in use are consequences of the exit, no findings themselves."""
    found = runs.run(mpi, [support.compile_program(EXITS_EARLY, mpi)], n=1)
    (block,) = found.blocks
    assert block.startswith("error: a process has ended without MPI_Finalize\n")
    assert "    1 pending request: MPI_Irecv, called at " in block
