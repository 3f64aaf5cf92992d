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
ENDED = "remark: a process has been ended"
OUTSIDE = "except if a signal from outside ends it"
KILLED = (
    "find out who sent SIGKILL: the launcher, the batch system, or the kernel if memory was "
    "exhausted (dmesg); SIGKILL leaves no core file"
)
UNKNOWN = (
    "read the output of the process: the launcher's message names the signal or the exit status"
)
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
    is_unknown = not runs.TELLS_ENDINGS and how == "_exit"
    if how == "kill" or is_unknown:
        found = DIED.format(how=runs.how(HOW[how])).replace("error: a process has died,", ENDED)
        return found.replace(" it ends\n", f" it ends, {OUTSIDE}\n") + (
            UNKNOWN if is_unknown else KILLED
        )
    advice = "read its output"
    if how != "_exit" or not runs.TELLS_ENDINGS:
        advice += ", and open its core file with mpipp gdb"
    if not runs.TELLS_ENDINGS:
        advice += "; the launcher's message names the signal"
    return DIED.format(how=runs.how(HOW[how])) + advice


@every_mpi
@pytest.mark.parametrize("how", ["segv", "exit", "_exit", "MPI_Abort", "kill", *repeated("abort")])
def test_a_process_ends(mpi: MPI, how: str) -> None:
    found = runs.run(mpi, [runs.program("ends.c", mpi), how])
    expected = {"exit": EXITED, "MPI_Abort": ABORTED}.get(how) or died(how)
    blocks = [re.sub("0x[0-9a-f]+", "0x...", block) for block in found.blocks]
    assert blocks == [mpi.cited(expected)]
    assert found.status != 0 and len(found.last) == 1


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
