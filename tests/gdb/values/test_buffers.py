# SPDX-License-Identifier: MIT
"""Communication buffers in gdb's output, in each call of one of two processes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests import support
from tests.gdb import expectations

VECTOR = '{kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}'
MATRIX = (
    f'{{address = %p, call = "MPI_Bcast", count = 1, type = {VECTOR}, '
    "data = {{0.5, 1.5}, {4.5, 5.5}, {8.5, 9.5}}}"
)
RECORD = (
    "{kind = RESIZED, lb = 0, extent = 48, type = {kind = STRUCT, count = 3, entries = "
    '{{blocklength = 5, offset = 0, type = "MPI_INT"}, '
    '{blocklength = 7, offset = 20, type = "MPI_CHAR"}, '
    '{blocklength = 2, offset = 32, type = "MPI_DOUBLE"}}}}'
)
EARLY = (
    '{address = %p, call = "MPI_Irecv", request = 1, count = 3, type = "MPI_INT", '
    "data = {-1, -2, -3}}"
)


def collective(call: str, count: int, data: str, more: str = "") -> str:
    return (
        f'{{address = %p, call = "{call}", count = {count}, peers = 2, type = "MPI_INT", '
        f"data = {data}{more}}}"
    )


class Stop(NamedTuple):
    """The next call to stop in, and the expected output in the frame of `function`."""

    procedure: str
    printed: dict[str, str]
    function: str = "main"


STOPS = (
    Stop("Bcast", {"rows": MATRIX, "matrix": MATRIX, "as_void": MATRIX}, "broadcast"),
    Stop(
        "Bcast",
        {
            "mixed": f'{{address = %p, call = "MPI_Bcast", count = 2, type = {RECORD}, data = '
            '{{b0 = {1, 2, 3, 4, 5}, b1 = "abcdefg", b2 = {1.5, 2.5}}, '
            '{b0 = {6, 7, 8, 9, 10}, b1 = "hi\\000\\000\\000\\000", b2 = {-0.25, 1e+22}}}}',
            "mixed[1].numbers": "{6, 7, 8, 9, 10}",
            "matrix[0]": "{0.5, 1.5, 2.5, 3.5}",
        },
    ),
    Stop(
        "Alltoall",
        {
            "one": collective("MPI_Alltoall", 2, "{r0 = {0, 1}, r1 = {2, 3}}"),
            "all": collective("MPI_Alltoall", 2, "{r0 = {0, 0}, r1 = {0, 0}}"),
            "early": EARLY,
            "&early[1]": "(int *) %p",
        },
    ),
    Stop(
        "Gather",
        {
            "one": '{address = %p, call = "MPI_Gather", count = 2, type = "MPI_INT", '
            "data = {0, 1}}",
            "all": collective("MPI_Gather", 2, "{r0 = {0, 1}, r1 = {10, 11}}"),
        },
    ),
    Stop(
        "Allgatherv",
        {
            "collected": '{address = %p, call = "MPI_Allgatherv", counts = {1, 3}, '
            'offsets = {12, 0}, type = "MPI_INT", '
            "data = {r0 = 0, r1 = {0, 0, 0}}}",
        },
    ),
    Stop(
        "Alltoallw",
        {
            "w_send": '{address = %p, call = "MPI_Alltoallw", counts = {1, 1}, '
            'offsets = {4, 12}, types = {"MPI_INT", "MPI_INT"}, data = {r0 = 2, r1 = 4}}',
            "w_receive": '{address = %p, call = "MPI_Alltoallw", counts = {1, 1}, '
            'offsets = {4, 12}, types = {"MPI_INT", "MPI_INT"}, data = {r0 = 6, r1 = 8}}',
        },
    ),
    Stop(
        "Allreduce",
        {
            "&sum": '{address = %p, call = "MPI_Allreduce", count = 1, type = "MPI_DOUBLE", '
            "data = 1}",
            "sum": "1",
        },
    ),
    Stop(
        "Bcast",
        {
            "bottom": '{address = MPI_BOTTOM, call = "MPI_Bcast", count = 1, type = %t, '
            "data = {b0 = 42, b1 = 3}}",
        },
    ),
    Stop(
        "Bcast",
        {
            "nothing": '{address = %p, call = "MPI_Bcast", count = 0, type = "MPI_INT", '
            'data = "no data: the count is 0"}',
        },
    ),
    Stop(
        "Bcast",
        {
            "null": '{address = 0x0, call = "MPI_Bcast", count = 0, type = "MPI_INT", '
            'data = "no data: the count is 0"}',
        },
    ),
    Stop(
        "Send",
        {
            "early": EARLY,
            "one": '{address = %p, call = "MPI_Send", count = 3, '
            'type = "MPI_INT", data = {0, 1, 2}}',
        },
    ),
)


def on_rank_0(mpi: support.MPI, program: Path, commands: list[str], n: int = 2) -> str:
    """The output of a gdb that runs rank 0 of `n` processes."""
    # Both ranks run one program, because mpiexec of Open MPI 5.0.7 fails to start two.
    each = 'if [ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = 0 ]; then exec "$@"; fi; '
    each += f"exec env LD_PRELOAD={mpi.wrapper} {program}"
    words = [*mpi.mpiexec, "-n", str(n), "sh", "-c", each, "sh", *support.gdb_words(mpi), "-batch"]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(
        [*words, str(program)],
        env=mpi.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
        check=False,
    )
    return done.stdout


@support.every_mpi
def test_buffers(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "buffers.c"), mpi)
    commands = ["set breakpoint pending on", f"source {expectations.FRAMES}"]
    expected = []
    for number, stop in enumerate(STOPS):
        commands += [f"tbreak PMPI_{stop.procedure}", "continue" if number else "run"]
        commands.append(f"python select_frame('{stop.function}')")
        for expression, text in stop.printed.items():
            expected.append((stop.procedure, expression, text))
            commands += ["echo @@@", f"output {expression}", "echo \\n"]
    output = on_rank_0(mpi, program, [*commands, "delete", "continue"])
    printed = re.findall("@@@(.*)", output)
    for (procedure, expression, text), found in zip(expected, printed):
        pattern = re.escape(text).replace("%p", "0x[0-9a-f]+").replace("%t", r"\{kind = .*\}")
        assert re.fullmatch(pattern, found), f"{procedure}: {expression}\n{text}\n{found}"
    assert len(printed) == len(expected), output


@support.every_mpi
def test_entry_of_the_wrapper(mpi: support.MPI) -> None:
    # MPI_Bcast stops before the wrapper has recorded the call, so gdb reads the arguments.
    program = support.compile_program(support.program_source("gdb", "buffers.c"), mpi)
    commands = [
        "break MPI_Bcast",
        "run",
        "echo @@@",
        "frame 1",
        "echo @@@",
        "output rows",
        "echo \\n",
        "echo @@@",
        "bt",
        "echo @@@",
        "kill",
    ]
    stop = ["set breakpoint pending on"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    _, _, rows, trace, _ = output.split("@@@")
    assert expectations.Expectation("", "", MATRIX, 0).matches(rows.strip()), rows
    if support.gdb_version() < (13,):  # gdb before 13 does not ask a printer for a summary
        assert "broadcast (rows=..., vector=...)" in trace.replace("{...}", "..."), trace
        return
    assert re.search(
        r"#0 .*MPI_Bcast \(buffer=0x[0-9a-f]+ \(MPI_Bcast\), count=1, "
        r"datatype=VECTOR\[3, 2, 4\], root=0, comm=MPI_COMM_WORLD\)",
        trace,
    ), trace
    assert re.search(
        r"#1 .*broadcast \(rows=0x[0-9a-f]+ \(MPI_Bcast\), vector=VECTOR\[3, 2, 4\]\)", trace
    ), trace


NEIGHBORS = """
#include <mpi.h>
int sent[4] = {1, 2, 3, 4}, received[4], old, one = 1;
int main(int argc, char **argv) {
  int dims[1] = {1}, periods[1] = {1};
  MPI_Comm ring;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Cart_create(MPI_COMM_SELF, 1, dims, periods, 0, &ring);
  MPI_Neighbor_alltoall(sent, 2, MPI_INT, received, 2, MPI_INT, ring);
  MPI_Win_create(sent, sizeof sent, sizeof *sent, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_fence(0, win);
  MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 1, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
"""


@support.on_mpi("mpich4", "mpich5")  # without mpiexec, Open MPI has no windows
def test_entry_with_neighbors_and_without_counts(mpi: support.MPI) -> None:
    program = support.compile_program(NEIGHBORS, mpi)
    commands = ["break MPI_Neighbor_alltoall", "break MPI_Fetch_and_op", "run"]
    commands += ["up", "echo @@@", "output sent", "echo \\n@@@", "delete 1", "continue", "up"]
    commands += ["echo @@@", "output &one", "echo \\n@@@", "kill"]
    stop = ["set breakpoint pending on"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    _, sent, _, one, _ = output.split("@@@")
    assert re.fullmatch(
        r'\{address = 0x[0-9a-f]+, call = "MPI_Neighbor_alltoall", count = 2, '
        r'peers = 2, type = "MPI_INT", data = \{r0 = \{1, 2\}, r1 = \{3, 4\}\}\}',
        sent.strip(),
    ), sent
    assert re.fullmatch(
        r'\{address = 0x[0-9a-f]+, call = "MPI_Fetch_and_op", count = 1, '
        r'type = "MPI_INT", data = 1\}',
        one.strip(),
    ), one


ONE_AND_TWO = """
#include <mpi.h>
int sent[2] = {1, 2}, received[2];
int main(int argc, char **argv) {
  int rank;
  MPI_Comm own, both;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank ? 0 : 1, 0, &both);
  MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&own);
  MPI_Finalize();
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_entry_with_an_intercommunicator(mpi: support.MPI) -> None:
    # The other group has two processes, so there are two peers. The group of rank 0 has one
    # process.
    program = support.compile_program(ONE_AND_TWO, mpi)
    commands = ["set breakpoint pending on", "break MPI_Alltoall", "run", "up"]
    commands += ["echo @@@", "output sent", "echo \\n@@@", "delete", "continue"]
    output = on_rank_0(mpi, program, commands, n=3)
    assert re.fullmatch(
        r'\{address = 0x[0-9a-f]+, call = "MPI_Alltoall", count = 1, peers = 2, '
        r'type = "MPI_INT", data = \{r0 = 1, r1 = 2\}\}',
        output.split("@@@")[1].strip(),
    ), output


ROOTED = """
#include <mpi.h>
int sent[3] = {1, 2, 3}, received[3] = {-1, -2, -3};
int main(int argc, char **argv) {
  int rank;
  MPI_Comm own, both;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Gather(sent, 1, MPI_INT, received, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Scatter(sent, 1, MPI_INT, received, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Reduce(sent, received, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 1, rank, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank > 1 ? 0 : 2, 0, &both);
  int root_here[3] = {MPI_ROOT, MPI_PROC_NULL, 0}, none_here[3] = {MPI_PROC_NULL, MPI_ROOT, 1};
  int root_there[3] = {0, 0, MPI_ROOT};
  MPI_Gather(sent, 1, MPI_INT, received, 1, MPI_INT, root_here[rank], both);
  MPI_Bcast(sent, 1, MPI_INT, none_here[rank], both);
  MPI_Scatter(sent, 1, MPI_INT, received, 1, MPI_INT, root_there[rank], both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&own);
  MPI_Finalize();
}
"""


def of_call(procedure: str, count: int, data: str) -> str:
    return (
        f'{{address = %p, call = "MPI_{procedure}", count = {count}, type = "MPI_INT", '
        f"data = {data}}}"
    )


# The output for `sent` and `received` in rank 0, at the start of each call. First on an
# intracommunicator: not at the root, and at the root. Then on an intercommunicator: at the root, in
# the root's group, and in the other group.
AT_ROOTS = (
    ("Gather", of_call("Gather", 1, "1"), "{-1, -2, -3}"),
    ("Scatter", "{1, 2, 3}", of_call("Scatter", 1, "-1")),
    ("Reduce", of_call("Reduce", 3, "{1, 2, 3}"), of_call("Reduce", 3, "{1, -2, -3}")),
    ("Gather", "{1, 2, 3}", of_call("Gather", 1, "3")),
    ("Bcast", "{1, 2, 3}", "{1, 6, 9}"),
    ("Scatter", "{1, 2, 3}", of_call("Scatter", 1, "1")),
)


@support.on_mpi("mpich4", "openmpi4")
def test_entry_where_a_buffer_counts_at_the_root_only(mpi: support.MPI) -> None:
    program = support.compile_program(ROOTED, mpi)
    commands = ["set breakpoint pending on"]
    for number, (procedure, *_) in enumerate(AT_ROOTS):
        commands += [f"tbreak MPI_{procedure}", "continue" if number else "run", "up"]
        commands += ["echo @@@", "output sent", "echo \\n@@@", "output received", "echo \\n"]
    output = on_rank_0(mpi, program, [*commands, "delete", "continue"], n=3)
    printed = re.sub("0x[0-9a-f]+", "%p", "\n".join(re.findall("@@@(.*)", output)))
    assert printed.splitlines() == [text for _, *two in AT_ROOTS for text in two], output
