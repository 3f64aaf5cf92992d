# SPDX-License-Identifier: MIT
"""`mpipp check` between processes: in one gdb, and on two core files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import support
from tests.ranks import ranks

both = support.on_mpi("mpich4", "openmpi4")

NOT_MATCHING = "the types sent and received do not match"
# The finding, its parties, and the details of the parties.
CASES = {
    "truncated": (
        "error: 10 elements sent, but only 5 received: the message is truncated (MPI_ERR_TRUNCATE)",
        ["MPI_Isend", "sends MPI_INT: buf[5](INT), at 0x", "MPI_Irecv"],
    ),
    "header": (
        f"error: {NOT_MATCHING}, at the first element: MPI_DOUBLE is sent, MPI_FLOAT received",
        [
            "MPI_Isend",
            "sends MPI_DOUBLE: buf(DOUBLE), at 0x",
            "MPI_Irecv",
            "receives MPI_FLOAT: buf(FLOAT), at 0x",
        ],
    ),
    "any": (
        f"error: {NOT_MATCHING}, at the first element: MPI_DOUBLE is sent, MPI_INT received",
        [
            "MPI_Isend",
            "sends MPI_DOUBLE: buf(DOUBLE), at 0x",
            "MPI_Irecv",
            "receives MPI_INT: buf(INT), at 0x",
        ],
    ),
    "duplicate": (
        f"error: {NOT_MATCHING}, at the first element: MPI_DOUBLE is sent, MPI_INT received",
        [
            "MPI_Isend",
            "sends MPI_DOUBLE: buf(DOUBLE), at 0x",
            "MPI_Irecv",
            "receives MPI_INT: buf(INT), at 0x",
        ],
    ),
    "persistent": (
        f"error: {NOT_MATCHING}, at the first element: MPI_BYTE is sent, MPI_INT received",
        [
            "MPI_Send_init",
            "sends MPI_BYTE: buf(BYTE), at 0x",
            "MPI_Recv_init",
            "receives MPI_INT: buf(INT), at 0x",
        ],
    ),
    "roots": (
        "error: the processes pass different roots: 0 and 1",
        ["MPI_Ibcast", "MPI_Ibcast"],
    ),
    "amounts": (
        "error: 5 elements sent, but only 4 received",
        ["MPI_Ibcast", "sends MPI_INT: buffer[4](INT), at 0x", "MPI_Ibcast"],
    ),
    "operations": (
        "error: the processes reduce with different operations: MPI_MAX and MPI_SUM",
        ["MPI_Iallreduce", "MPI_Iallreduce"],
    ),
    "procedures": (
        "error: MPI_Ibarrier and MPI_Ibcast are matched on one communicator: "
        "each process's collective call number 1 on it",
        ["MPI_Ibarrier", "MPI_Ibcast"],
    ),
    "all-to-all": (
        "error: only 1 element sent, but 2 received",
        ["MPI_Ialltoallv", "MPI_Ialltoallv", "receives MPI_INT: recvbuf[1](INT) of rank 1, at 0x"],
    ),
}
CASES["gathered"] = (
    "error: 3 elements sent, but only 2 received",
    ["MPI_Igatherv", "sends MPI_INT: sendbuf[2](INT), at 0x", "MPI_Igatherv"],
)
CASES["in-place"] = (
    "error: the processes reduce different types, at the first element: MPI_INT and MPI_UNSIGNED",
    [
        "MPI_Ireduce",
        "reduces MPI_INT: recvbuf(INT), at 0x",
        "MPI_Ireduce",
        "reduces MPI_UNSIGNED: sendbuf(UNSIGNED), at 0x",
    ],
)
CASES["repeated"] = (
    f"error: {NOT_MATCHING}, at the first element: MPI_DOUBLE is sent, MPI_FLOAT received",
    [
        "MPI_Isend",
        "sends MPI_DOUBLE: buf(DOUBLE), at 0x",
        "MPI_Irecv",
        "receives MPI_FLOAT: buf(FLOAT), at 0x",
        "and 2 others at the same places",
    ],
)
TABLE_ONE = """\
error: the types sent and received do not match, at the first element: MPI_INT is sent, \
MPI_DOUBLE received
  rank 0 (inferior 1): MPI_Isend(dest = 1, tag = 0, comm = "MPI_COMM_WORLD", \
buf = 0x (1 STRUCT[3])), request #1
    called at table_one.c:20 in main
    sends MPI_INT: buf(STRUCT)[0][0](INT), at 0x
  rank 1 (inferior 2): MPI_Irecv(source = 0, tag = 0, comm = "MPI_COMM_WORLD", \
buf = 0x (1 STRUCT[3])), request #1
    called at table_one.c:22 in main
    receives MPI_DOUBLE: buf(STRUCT)[0][0](DOUBLE), at 0x
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH

1 finding in 2 processes, 0 active calls, 2 pending requests
"""


def compiled(name: str, mpi: support.MPI) -> Path:
    return support.compile_program(support.program_source("gdb", name), mpi)


def check(mpi: support.MPI, *jobs: dict[int, int]) -> str:
    commands = []
    for number, pid in enumerate((pid for pids in jobs for _, pid in sorted(pids.items())), 1):
        commands += ["add-inferior", f"inferior {number}"] if number > 1 else []
        commands.append(f"attach {pid}")
    output = support.gdb_batch([*commands, "echo @@@\\n", "mpipp check"], mpi=mpi)
    return _report(output.split("@@@\n")[1])


def check_each(mpi: support.MPI, names: Iterable[str], *args: str) -> dict[str, str]:
    """The output for each first argument of mismatched_calls.c. One gdb checks the jobs in turn."""
    commands = ["add-inferior"]
    with ExitStack() as jobs:
        for name in names:
            pids = jobs.enter_context(ranks(compiled("mismatched_calls.c", mpi), mpi, name, *args))
            for number in (1, 2):
                commands += [f"inferior {number}", f"attach {pids[number - 1]}"]
            commands += ["echo @@@\\n", "mpipp check", "detach inferiors 1 2"]
        output = support.gdb_batch(commands, mpi=mpi)
    return dict(zip(names, map(_report, output.split("@@@\n")[1:])))


def _report(output: str) -> str:
    report = support.without_variables(output.partition("[Inferior")[0])
    return re.sub("0x[0-9a-f]+", "0x", report)


@both
def test_table_one(mpi: support.MPI) -> None:
    with ranks(compiled("table_one.c", mpi), mpi) as pids:
        assert check(mpi, pids) == mpi.cited(TABLE_ONE)


@both
def test_two_jobs(mpi: support.MPI) -> None:
    with (
        ranks(compiled("table_one.c", mpi), mpi) as first,
        ranks(compiled("table_one.c", mpi), mpi) as second,
    ):
        report = check(mpi, first, second)
    said = "1 finding in 4 processes, 0 active calls, 4 pending requests"
    assert report.splitlines()[-1] == said
    assert re.findall(r"  rank .*?\)", report) == [
        "  rank 0 (inferiors 1 and 3)",
        "  rank 1 (inferiors 2 and 4)",
    ]


@pytest.mark.each_case
@both
# Limit the jobs of one test, and run some on each library.
@pytest.mark.parametrize("part", range(4))
def test_wrong(mpi: support.MPI, part: int) -> None:
    cases = dict(list(CASES.items())[part::4])
    found = {name: _told(report) for name, report in check_each(mpi, cases).items()}
    last = "1 finding in 2 processes, 0 active calls, "
    assert found == {name: (what, parties, last) for name, (what, parties) in cases.items()}


def _told(report: str) -> tuple[str, list[str], str]:
    # The finding, its parties, and the start of the last line.
    first, *lines = report.splitlines() or [""]
    told = [line.strip() for line in lines if re.match(" +(rank|sends|receives|reduces|and)", line)]
    shown = [line.partition("): ")[2].partition("(")[0] or line for line in told]
    return first, shown, "".join(lines[-1:])[:-18]


@support.on_mpi("mpich4")
def test_two_of_three(mpi: support.MPI) -> None:
    with ranks(compiled("mismatched_calls.c", mpi), mpi, "without-root", n=3) as pids:
        del pids[2]
        lines = check(mpi, pids).splitlines()
    assert lines[0] == "error: the processes receive different numbers of elements: 4 and 5"
    assert "    receives MPI_INT: buffer[4](INT), at 0x" in lines


@support.on_mpi("mpich4")
def test_partitioned(mpi: support.MPI) -> None:
    with ranks(compiled("mismatched_calls.c", mpi), mpi, "partitioned") as pids:
        lines = check(mpi, pids).splitlines()
    assert lines[0] == (
        "error: 12 elements sent, but only 10 received: the message is truncated (MPI_ERR_TRUNCATE)"
    )
    assert "    sends MPI_INT: buf[10](INT), at 0x" in lines


@support.on_mpi("mpich4")
def test_forms(mpi: support.MPI) -> None:
    with ranks(compiled("mismatched_calls.c", mpi), mpi, "forms") as pids:
        for _ in range(20):  # until the second process is in its call
            lines = check(mpi, pids).splitlines()
            if lines[-1].endswith("1 active call, 1 pending request"):
                break
    assert lines[0] == (
        "error: a nonblocking and a blocking call of one collective operation are matched"
    )


@both
def test_outlived(mpi: support.MPI) -> None:
    with ranks(compiled("mismatched_calls.c", mpi), mpi, "outlived") as pids:
        assert check(mpi, pids) == (
            "no findings in 2 processes, 0 active calls, 4 pending requests\n"
        )


@support.on_mpi("mpich4")
@pytest.mark.parametrize("part", range(2))
def test_right(mpi: support.MPI, part: int) -> None:
    names = [*CASES, "partitioned"][part::2]
    found = check_each(mpi, names, "right")
    said = {name: report.partition(",")[0] for name, report in found.items()}
    assert said == dict.fromkeys(names, "no findings in 2 processes")


# The wrapper does not see how the second process creates its operation.
UNSEEN = """\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void least(void *in, void *inout, int *length, MPI_Datatype *datatype) {}

int main(int argc, char **argv) {
  int rank, part = 1, result;
  int (*create)(MPI_User_function *, int, MPI_Op *) = MPI_Op_create;
  MPI_Op op;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank) *(void **)&create = dlsym(dlopen(argv[1], RTLD_NOW), "PMPI_Op_create");
  create(least, 1, &op);
  MPI_Iallreduce(&part, &result, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  printf("%d %d\\n", rank, (int)getpid());
  fflush(stdout);
  pause();
}
"""


@support.on_mpi("mpich4")
def test_an_operation_that_is_not_known_may_be_the_same(mpi: support.MPI) -> None:
    program = support.compile_program(UNSEEN, mpi)
    with ranks(program, mpi, support.library("libmpich.so.12")) as pids:
        assert check(mpi, pids) == (
            "no findings in 2 processes, 0 active calls, 2 pending requests\n"
        )
