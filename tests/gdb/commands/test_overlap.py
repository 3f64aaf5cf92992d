# SPDX-License-Identifier: MIT
"""The exact output of `mpipp blocks` and `mpipp overlap`, also for two processes in one gdb."""

from __future__ import annotations

import json

from tests import support, typed
from tests.gdb import expectations
from tests.gdb.processes import test_inferiors

ALIGNED = "alignment   every element is at a multiple of its alignment\n"
APART = "overlap     no two elements share a byte"

# (typed text, gdb's output). %p stands for any address, %n for an absolute displacement.
CONVERSATION = (
    (
        # The paper prints the last bytes, {(0,19), (47,53), (76,91)}. Here a range ends after its
        # last byte.
        "mpipp blocks s_type --map",
        "s_type: 43 bytes of data in [0, 92)\n"
        "  [0, 20)        20 bytes\n"
        "  [47, 54)       7 bytes\n"
        "  [76, 92)       16 bytes\n"
        "runs        3 contiguous runs, 2 holes of 49 bytes in all\n"
        "efficiency  46.7 % of the true extent (92 bytes), 41.3 % of the extent (104 bytes)\n"
        "alignment   s_type(RESIZED)[0](STRUCT)[2][0](DOUBLE) at displacement 76 is not aligned\n"
        f"{APART}\n"
        "\n"
        "     +0       +8       +16      +24      +32      +40      +48      +56\n"
        "  0  IiiiIiii IiiiIiii Iiii.... ........ ........ .......C CCCCCC.. ........\n"
        " 64  ........ ....Dddd ddddDddd dddd.... ....\n"
        "\n"
        "i MPI_INT    c MPI_CHAR    d MPI_DOUBLE    . not touched",
    ),
    (
        "mpipp blocks s_type n",
        "s_type, 2 entries: 86 bytes of data in [0, 196)\n"
        "  2 times every 104 bytes:\n"
        "    [0, 20)        20 bytes\n"
        "    [47, 54)       7 bytes\n"
        "    [76, 92)       16 bytes\n"
        "runs        6 contiguous runs, 5 holes of 110 bytes in all\n"
        "efficiency  43.9 % of the true extent (196 bytes), 41.3 % of the extents (208 bytes)\n"
        "alignment   s_type(RESIZED)[0](STRUCT)[2][0](DOUBLE) at displacement 76 is not aligned\n"
        f"{APART}",
    ),
    (
        "mpipp blocks column",
        "column: 32 bytes of data in [0, 152)\n"
        "  [0, 8)         8 bytes, 4 times every 48 bytes\n"
        "runs        4 contiguous runs, 3 holes of 120 bytes in all\n"
        "efficiency  21.1 % of the true extent (152 bytes), 21.1 % of the extent (152 bytes)\n"
        f"{ALIGNED}{APART}",
    ),
    (
        "mpipp blocks crossed --map",
        "crossed: 24 bytes of data in [0, 16)\n"
        "  [0, 16)        16 bytes\n"
        "runs        1 contiguous run\n"
        "efficiency  150.0 % of the true extent (16 bytes), 150.0 % of the extent (16 bytes)\n"
        f"{ALIGNED}"
        "overlap     crossed(VECTOR)[0][1](INT) and crossed(VECTOR)[1][0](INT) share [4, 8): "
        "receiving into them is erroneous\n"
        "\n"
        "     +0       +8       +16      +24      +32      +40      +48      +56\n"
        "  0  Iiii#### ####Iiii\n"
        "\n"
        "i MPI_INT    # more than one element    . not touched",
    ),
    (
        "mpipp blocks pairs --map",
        "pairs: 12000000 bytes of data in [0, 16000000)\n"
        "  1000000 times every 16 bytes:\n"
        "    [0, 4)         4 bytes\n"
        "    [8, 16)        8 bytes\n"
        "runs        1000001 contiguous runs, 1000000 holes of 4000000 bytes in all\n"
        "efficiency  75.0 % of the true extent (16000000 bytes), "
        "75.0 % of the extent (16000000 bytes)\n"
        f"{ALIGNED}{APART}\n"
        "\n"
        "the first of 1000000, every 16 bytes:\n"
        "     +0       +8       +16      +24      +32      +40      +48      +56\n"
        f"  0  {' '.join(['Iiii.... Dddddddd'] * 4)}\n"
        "\n"
        "i MPI_INT    d MPI_DOUBLE    . not touched",
    ),
    (
        "mpipp blocks dense",
        "dense: 32 bytes of data in [0, 152)\n"
        "  [0, 8)         8 bytes, 4 times every 48 bytes\n"
        "runs        4 contiguous runs, 3 holes of 120 bytes in all\n"
        "efficiency  21.1 % of the true extent (152 bytes), 200.0 % of the extent (16 bytes)\n"
        f"{ALIGNED}{APART}; those of 4 entries do",
    ),
    (
        "mpipp blocks dup 2",
        "dup, 2 entries: 12 bytes of data in [0, 16)\n"
        "  2 times every 8 bytes:\n"
        "    [0, 2)         2 bytes\n"
        "    [4, 8)         4 bytes\n"
        "runs        3 contiguous runs, 2 holes of 4 bytes in all\n"
        "efficiency  75.0 % of the true extent (16 bytes), 75.0 % of the extents (16 bytes)\n"
        f"{ALIGNED}{APART}",
    ),
    (
        "mpipp blocks absolute",
        "absolute: 8 bytes of data in [%n, %n)\n"
        "  [%n, %n) 8 bytes\n"
        "runs        1 contiguous run\n"
        "efficiency  100.0 % of the true extent (8 bytes), 100.0 % of the extent (8 bytes)\n"
        f"{ALIGNED}{APART}",
    ),
    (
        "mpipp blocks sevens",
        "sevens: 1000000000 bytes of data in [0, 7000002992999998)\n"
        "  [0, 1)         1 byte, 1000000000 times every 7000003 bytes\n"
        "runs        1000000000 contiguous runs, 999999999 holes of 7000001992999998 bytes in all\n"
        "efficiency  less than 0.1 % of the true extent (7000002992999998 bytes), "
        "less than 0.1 % of the extent (7000002992999998 bytes)\n"
        f"{ALIGNED}{APART}",
    ),
    ("mpipp blocks row 0", "row, 0 entries: no data"),
    (
        "mpipp blocks blocks[1]",
        "blocks[1] is a part of a datatype: write the whole datatype.",
    ),
    # A variable with the name of the command.
    (
        "mpipp blocks[1]",
        "blocks(VECTOR)[1]\n"
        "  type          1 x MPI_DOUBLE\n"
        "  size          8 bytes\n"
        "  displacement  48 bytes\n"
        "  packed        8 bytes",
    ),
    ("mpipp blocks", "Write mpipp blocks TYPE [COUNT] [--map]."),
    ("mpipp blocks nosuch", 'No symbol "nosuch" in current context.'),
    ("mpipp blocks column --foo", "There is no option --foo: write --map or --json."),
    ("mpipp blocks column --map 2", "Write --map and --json at the beginning or at the end."),
    ("mpipp blocks column -1", "The count -1 of column is negative."),
    (
        "mpipp overlap column matrix with row matrix[2]",
        "overlap: both have [%p, %p), 8 bytes\n"
        "  column(VECTOR)[2][0](DOUBLE) at %p\n"
        "  row(CONTIGUOUS)[0](DOUBLE) at %p",
    ),
    (
        "mpipp overlap absolute 0 with @1 list[0] &matrix[0][2] n",
        "overlap: both have [%p, %p), 8 bytes\n"
        "  absolute(HINDEXED)[0][0](DOUBLE) at %p\n"
        "  list[0](VECTOR)[1][0](DOUBLE) at %p",
    ),
    # Computed for 10^9 blocks on either side.
    (
        "mpipp overlap sevens 0 with nines 5",
        "overlap: both have [0x18d2608abba9e9, 0x18d2608abba9ea), 1 byte\n"
        "  sevens(HVECTOR)[998101219][0](CHAR) at 0x18d2608abba9e9\n"
        "  nines(HVECTOR)[776300332][0](CHAR) at 0x18d2608abba9e9",
    ),
    (
        "mpipp overlap evens 0 with evens 8",
        "overlap: both have [0xa, 0xc), 2 bytes\n"
        "  evens(HVECTOR)[1][0](INT) at 0xa\n"
        "  evens(HVECTOR)[0][0](INT) at 0x8",
    ),
    (
        "mpipp overlap column matrix with column &matrix[0][1]",
        "no overlap: they interleave without sharing a byte",
    ),
    ("mpipp overlap evens 0 with evens 5", "no overlap: they interleave without sharing a byte"),
    (
        "mpipp overlap row matrix[3] with row matrix",
        "no overlap: the second ends 96 bytes before the other begins, at %p",
    ),
    (
        "mpipp overlap row matrix with row matrix[1]",
        "no overlap: the first ends where the other begins, at %p",
    ),
    ("mpipp overlap row matrix with column 0 0", "no overlap: column has no data there"),
    (
        "mpipp overlap row matrix",
        "Write mpipp overlap TYPE ADDR [COUNT] with TYPE ADDR [COUNT].",
    ),
    ("mpipp overlap row with row matrix", "The address of the buffer is missing after row."),
)

DOCUMENTS = (
    (
        "mpipp blocks pairs --json",
        {
            "mpipp": 1,
            "command": "blocks",
            "datatype": "pairs",
            "count": 1,
            "size": 12000000,
            "lb": 0,
            "extent": 16000000,
            "true_lb": 0,
            "true_extent": 16000000,
            "blocks": {
                "start": 0,
                "length": 16,
                "repeated": [{"count": 1000000, "stride": 16}],
                "items": [
                    {"start": 0, "length": 4, "repeated": []},
                    {"start": 8, "length": 8, "repeated": []},
                ],
                "complete": True,
            },
            "touched": 12000000,
            "runs": 1000001,
            "holes": 4000000,
            "misaligned": None,
            "overlap": None,
            "overlaps_from_count": None,
        },
    ),
    (
        "mpipp overlap evens 0 with evens 8 --json",
        {
            "mpipp": 1,
            "command": "overlap",
            "first": {"datatype": "evens", "count": 1, "buffer": 0},
            "second": {"datatype": "evens", "count": 1, "buffer": 8},
            "overlap": {
                "start": 10,
                "end": 12,
                "first": {
                    "address": "(HVECTOR)[1][0](INT)",
                    "type": "MPI_INT",
                    "displacement": 10,
                    "packed": 4,
                    "size": 4,
                },
                "second": {
                    "address": "(HVECTOR)[0][0](INT)",
                    "type": "MPI_INT",
                    "displacement": 0,
                    "packed": 0,
                    "size": 4,
                },
            },
        },
    ),
)


@support.each_handle
def test_conversation(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "overlap.c"), mpi)
    lines = [line for line, _ in (*CONVERSATION, *DOCUMENTS)]
    stop = ["break mark", "run"]
    said = typed.answers(lines, ["frame function main"], program=program, mpi=mpi, stop=stop)
    typed.compare(CONVERSATION, said)
    for (_, document), found in zip(DOCUMENTS, said[len(CONVERSATION) :]):
        assert json.loads(found) == document


@test_inferiors.both
def test_buffers_of_two_processes_share_nothing(mpi: support.MPI) -> None:
    program = support.compile_program(test_inferiors.RANKS, mpi)
    with test_inferiors.ranks(program, mpi) as pids:
        commands = [f"source {expectations.FRAMES}", f"attach {pids[0]}"]
        commands += ["add-inferior", "inferior 2", f"attach {pids[1]}", "inferior 1"]
        commands += [test_inferiors.IN_MAIN, "echo @@\\n"]
        commands += ["mpipp overlap type 0 with @2 type 0", "echo @@\\n"]
        output = support.gdb_batch(commands, mpi=mpi)
    assert output.split("@@\n")[1].endswith(
        "The buffers are of two processes, which share no memory: write two of one process.\n"
    )


# Short sends that complete at once share a handle. The first of them is complete, and its buffer is
# used again, with a copy of the handle at another address.
ONE_HANDLE = """\
#include <mpi.h>
static void mark(void) {}
static void wait(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }
int main(int argc, char **argv) {
  static double in[2], out[2];
  MPI_Request received[3], sent[2];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 2; i++)
    MPI_Irecv(&in[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_SELF, &received[i]);
  for (int i = 0; i < 2; i++)
    MPI_Isend(&out[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_SELF, &sent[i]);
  MPI_Request copies[2] = {sent[0], sent[1]};
  wait(copies[1]);
  for (int i = 0; i < 2; i++)
    MPI_Irecv(&out[i], 1, MPI_DOUBLE, 0, 2 + i, MPI_COMM_SELF, &received[2]);
  mark();
  return 0;
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_what_may_be_complete_has_no_buffer(mpi: support.MPI) -> None:
    program = support.compile_program(ONE_HANDLE, mpi)
    commands = ["mpipp check overlap,memory", "up", "print copies[0] == copies[1]"]
    said = support.gdb_batch(commands, program=program, mpi=mpi, stop=["break mark", "run"])
    found, *_, equal = said.splitlines()
    assert (found, equal) == (
        "no findings in 1 process, 0 active calls, 5 pending requests",
        "$1 = 1",
    )
