# SPDX-License-Identifier: MIT
"""The exact output of the command mpipp, in one gdb session for each MPI build."""

from __future__ import annotations

from tests import support, typed

# (typed text, gdb's output). %p stands for any address, %n for any number.
CONVERSATION = (
    ("mpipp vec &matrix", "{{0.5, 1.5}, {4.5, 5.5}, {8.5, 9.5}}"),
    ("mpipp vec matrix 1", "{{0.5, 1.5}, {4.5, 5.5}, {8.5, 9.5}}"),
    ("mpipp print vec &matrix[0][1]", "{{1.5, 2.5}, {5.5, 6.5}, {9.5, 10.5}}"),
    (
        "mpipp s_type data 2",
        '{{b0 = {1, 2, 3, 4, 5}, b1 = "abcdefg", b2 = {1.5, 2.5}}, '
        '{b0 = {6, 7, 8, 9, 10}, b1 = "hi\\000\\000\\000\\000", b2 = {3.5, 4.5}}}',
    ),
    (
        "mpipp s_type data one+1",
        '{{b0 = {1, 2, 3, 4, 5}, b1 = "abcdefg", b2 = {1.5, 2.5}}, '
        '{b0 = {6, 7, 8, 9, 10}, b1 = "hi\\000\\000\\000\\000", b2 = {3.5, 4.5}}}',
    ),
    # A predefined datatype is a macro, which gdb does not know.
    ("mpipp MPI_DOUBLE matrix 3", "{0.5, 1.5, 2.5}"),
    ("mpipp list[1] &one", "1"),
    ("mpipp list[one] &one", "1"),
    ("mpipp s_type[1][5] data", "'f'"),
    ("mpipp s_type[one][5] data", "'f'"),
    ("mpipp s_type(STRUCT)[2][1](DOUBLE) data", "2.5"),
    ("mpipp s_type[2] data", "{1.5, 2.5}"),
    ("mpipp s_type[1][2][1] data 2", "4.5"),
    ("mpipp vec[1] matrix", "{4.5, 5.5}"),
    (
        "mpipp s_type[1][5]",
        "s_type(STRUCT)[1][5](CHAR)\n"
        "  type          MPI_CHAR\n"
        "  size          1 byte\n"
        "  displacement  25 bytes\n"
        "  packed        25 bytes",
    ),
    (
        "mpipp s_type[2]",
        "s_type(STRUCT)[2]\n"
        "  type          2 x MPI_DOUBLE\n"
        "  size          16 bytes\n"
        "  displacement  32 bytes\n"
        "  packed        27 bytes",
    ),
    (
        "mpipp t[1]",
        "t(CONTIGUOUS)[1](VECTOR)\n"
        "  type          VECTOR[3, 2, 4]\n"
        "  size          48 bytes\n"
        "  displacement  80 bytes\n"
        "  packed        48 bytes",
    ),
    (
        "mpipp s_type at 44",
        "s_type(STRUCT)[2][1](DOUBLE)\n"
        "  type          MPI_DOUBLE\n"
        "  size          8 bytes\n"
        "  displacement  40 bytes\n"
        "  packed        35 bytes",
    ),
    (
        "mpipp s_type packed 26",
        "s_type(STRUCT)[1][6](CHAR)\n"
        "  type          MPI_CHAR\n"
        "  size          1 byte\n"
        "  displacement  26 bytes\n"
        "  packed        26 bytes",
    ),
    # The prefix of a subcommand may be the name of a variable.
    (
        "mpipp t[1][2][0]",
        "t(CONTIGUOUS)[1](VECTOR)[2][0](DOUBLE)\n"
        "  type          MPI_DOUBLE\n"
        "  size          8 bytes\n"
        "  displacement  144 bytes\n"
        "  packed        80 bytes",
    ),
    (
        "mpipp world",
        'world = {\n  name = "MPI_COMM_WORLD",\n  rank = 0,\n  size = 1\n}',
    ),
    # mpipp reports an error in one sentence.
    ("mpipp nosuch", 'No symbol "nosuch" in current context.'),
    ("mpipp vec nosuch", 'No symbol "nosuch" in current context.'),
    ("mpipp matrix", "matrix is not an MPI handle: its type is double [3][4]."),
    ("mpipp bad", "bad is not an existing MPI_Datatype: mpipp knows none with the handle 0x12345."),
    ("mpipp world matrix", "world is a handle of kind comm: only a datatype has data."),
    (
        "mpipp s_type[1][7]",
        "2nd index [7] of (STRUCT)[1][7] is out of range: block 1 has 7 elements, [0] to [6].",
    ),
    ("mpipp s_type(VECTOR)[1][1]", "(VECTOR) does not fit: (STRUCT) is at the start."),
    (
        "mpipp s_type at 28",
        "No element at displacement 28: it is in the gap between (STRUCT)[1][6](CHAR), which ends "
        "at 27, and (STRUCT)[2][0](DOUBLE) at 32.",
    ),
    (
        "mpipp vec 16",
        "{{<cannot read 0x10>, <cannot read 0x18>}, {<cannot read 0x30>, "
        "<cannot read 0x38>}, {<cannot read 0x50>, <cannot read 0x58>}}",
    ),
    # These words are not evaluated, because that would change the variable.
    (
        "mpipp s_type[1] --one",
        "Options apply to a whole datatype: write TYPE --expanded [--depth N].",
    ),
    (
        "mpipp s_type data --one",
        "Options apply to a whole datatype: write TYPE --expanded [--depth N].",
    ),
    ("mpipp list[one] &one", "1"),  # "data" still has its first value
    ("mpipp s_type at", "A number is missing: write mpipp s_type at OFFSET."),
    ("mpipp s_type packed", "A number is missing: write mpipp s_type packed POSITION."),
    ("mpipp s_type packed -1", "The position -1 is outside the packed data: 43 bytes."),
    ("mpipp s_type[1", 'There is no "]" after [1.'),
    (
        "mpipp --expanded s_type",
        "Write options after the datatype: mpipp TYPE --expanded [--depth N].",
    ),
    ("mpipp print", "Write mpipp print TYPE ..."),
    ("mpipp make_record()", "make_record is not an MPI handle: its type is MPI_Datatype (void)."),
    ("mpipp vec matrix 0", "no data: the count is 0"),
    (
        "mpipp list",
        "Write what to list: types, requests, comms, groups, wins, epochs, ops, files, infos, "
        "errhandlers, sessions, probed, calls, messages.",
    ),
    (
        "mpipp list foo",
        "There are no foo to list: write one of types, requests, comms, groups, "
        "wins, epochs, ops, files, infos, errhandlers, sessions, probed, calls, messages.",
    ),
    ("mpipp list types --fast", 'Unrecognized arguments: --fast: see "help mpipp list".'),
    ("mpipp list types --limit x", "--limit: invalid int value: 'x': see \"help mpipp list\"."),
    ("mpipp info 7", "7 is 7: no MPI_Info has this Fortran handle."),
    ("mpipp py 12", "12 is not an object of mpi4py: pass the value of id() for an mpi4py object."),
    # The next commands list objects.
    (
        "mpipp list types --kind vector",
        "#%n  %p  VECTOR[3, 2, 4], size 48, extent 80  made at commands.c:35 in main\n1 type",
    ),
    (
        "mpipp list types --made commands.c:24",
        "#%n  %p  STRUCT[3], size 43, extent 48  made at commands.c:24 in make_record\n1 type",
    ),
    (
        "mpipp list types --named",
        '#%n  %p  CONTIGUOUS[2] "two rows", size 96, extent 160, not committed  '
        "made at commands.c:37 in main\n1 type",
    ),
    (
        "mpipp list types --uncommitted --limit 1",
        '#%n  %p  CONTIGUOUS[2] "two rows", size 96, extent 160, not committed  '
        "made at commands.c:37 in main\n1 type",
    ),
    (
        "mpipp list requests",
        '#1  %p  MPI_Irecv active, source = 0, tag = 3, comm = "MPI_COMM_SELF", '
        "buf = %p (1 VECTOR[3, 2, 4])  made at commands.c:44 in main\n1 request",
    ),
    ("mpipp list request --limit 0 --named", "0 requests"),
    ("mpipp list calls", "0 calls"),
    ("mpipp list call", "0 calls"),
)


@support.each_handle
def test_conversation(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "commands.c"), mpi)
    stop = ["break mark", "run"]
    typed.hold(CONVERSATION, ["frame function main"], program=program, mpi=mpi, stop=stop)
