# SPDX-License-Identifier: MIT
"""The exact output of `mpipp typesig` and `mpipp match`, also for two processes in one gdb."""

from __future__ import annotations

import json
import re

from tests import support, typed
from tests.gdb import expectations
from tests.gdb.processes import test_inferiors

# (typed text, gdb's output).
CONVERSATION = (
    (
        "mpipp typesig s_type",
        "{5 x MPI_INT, 7 x MPI_CHAR, 2 x MPI_DOUBLE}\n14 elements, 43 bytes",
    ),
    (
        "mpipp typesig s_type 3",
        "3 x {5 x MPI_INT, 7 x MPI_CHAR, 2 x MPI_DOUBLE}\n42 elements, 129 bytes",
    ),
    (
        "mpipp typesig row 1000000",
        "1000000000 x {MPI_INT, MPI_DOUBLE}\n2000000000 elements, 12000000000 bytes",
    ),
    ("mpipp typesig odd n", "12 x {MPI_DOUBLE, MPI_INT}\n24 elements, 144 bytes"),
    ("mpipp typesig empty", "0 elements, 0 bytes"),
    ("mpipp typesig MPI_CHAR", "MPI_CHAR\n1 element, 1 byte"),
    # The program may have renamed the datatype.
    ("mpipp typesig MPI_FLOAT 2", "2 x MPI_FLOAT\n2 elements, 8 bytes"),
    ("mpipp typesig real", "F90_REAL(p 15, r 300)\n1 element, 8 bytes"),
    ("mpipp typesig[1]", "typesig is not an MPI handle: no datatype has the number 123456."),
    (
        "mpipp match row 1000000 with pair 1000000000",
        "match: 2000000000 elements, 12000000000 bytes",
    ),
    ("mpipp match empty with empty 3", "match: 0 elements, 0 bytes"),
    ("mpipp match MPI_LONG_LONG_INT 2 with long_int", "match: 2 elements, 16 bytes"),
    ("mpipp match matches[1] (with) with @1 pair n/2", "match: 4 elements, 24 bytes"),
    (
        "mpipp match s_type 3 with other 3",
        "mismatch after 5 equal elements: MPI_CHAR is sent, MPI_SIGNED_CHAR received\n"
        "  sent      s_type(STRUCT)[1][0](CHAR)        MPI_CHAR         "
        "displacement 20, packed 20\n"
        "  received  other(STRUCT)[1][0](SIGNED_CHAR)  MPI_SIGNED_CHAR  "
        "displacement 20, packed 20",
    ),
    (
        "mpipp match s_type 3 with s_type n",
        "partial: 42 elements of the 56 received are sent: "
        "legal in point-to-point, not in collective communication\n"
        "  unchanged from  s_type[3](STRUCT)[0][0](INT)  MPI_INT  displacement 144, packed 129",
    ),
    (
        "mpipp match s_type n with s_type 3",
        "longer: 56 elements sent, but only 42 received: "
        "the message is truncated (MPI_ERR_TRUNCATE)\n"
        "  cut off from  s_type[3](STRUCT)[0][0](INT)  MPI_INT  displacement 144, packed 129",
    ),
    (
        "mpipp match bytes with s_type",
        "mismatch at the first element: MPI_BYTE is sent, MPI_INT received\n"
        "  sent      bytes(CONTIGUOUS)[0](BYTE)  MPI_BYTE  displacement 0, packed 0\n"
        "  received  s_type(STRUCT)[0][0](INT)   MPI_INT   displacement 0, packed 0\n"
        "MPI_BYTE matches only MPI_BYTE (MPI-4.1, section 3.3.1)",
    ),
    (
        "mpipp match odd with pair",
        "mismatch at the first element: MPI_DOUBLE is sent, MPI_INT received\n"
        "  sent      odd(INDEXED)[0][0](DOUBLE_INT)  MPI_DOUBLE (1st part of the pair)  "
        "displacement 64, packed 0\n"
        "  received  pair(STRUCT)[0][0](INT)         MPI_INT                            "
        "displacement 0, packed 0",
    ),
    (
        "mpipp match MPI_INT with MPI_INTEGER",
        "mismatch at the first element: MPI_INT is sent, MPI_INTEGER received\n"
        "  sent      MPI_INT(INT)          MPI_INT      displacement 0, packed 0\n"
        "  received  MPI_INTEGER(INTEGER)  MPI_INTEGER  displacement 0, packed 0\n"
        "types of C and of Fortran do not match (MPI-4.1, section 19.3.10)",
    ),
    (
        "mpipp match real with MPI_DOUBLE",
        "mismatch at the first element: F90_REAL(p 15, r 300) is sent, MPI_DOUBLE received\n"
        "  sent      real(F90_REAL)      F90_REAL(p 15, r 300)  displacement 0, packed 0\n"
        "  received  MPI_DOUBLE(DOUBLE)  MPI_DOUBLE             displacement 0, packed 0\n"
        "a parametrised Fortran type matches only one made with the same p and r "
        "(MPI-4.1, section 19.1.9)",
    ),
    (
        "mpipp match MPI_PACKED 100 with s_type",
        "match as far as known: MPI_PACKED, whose content is not known\n"
        "  sent      MPI_PACKED(PACKED)         MPI_PACKED  displacement 0, packed 0\n"
        "  received  s_type(STRUCT)[0][0](INT)  MPI_INT     displacement 0, packed 0",
    ),
    # mpipp obeys gdb's limit on elements.
    ("set print elements 2", ""),
    ("mpipp typesig s_type", "{5 x MPI_INT, 7 x MPI_CHAR...}\n14 elements, 43 bytes"),
    ("set print elements 200", ""),
    # mpipp reports an error in one sentence.
    ("mpipp typesig", "Write mpipp typesig TYPE [COUNT]."),
    ("mpipp match", "Write mpipp match TYPE [COUNT] with TYPE [COUNT]."),
    ("mpipp match s_type with", "Write mpipp match TYPE [COUNT] with TYPE [COUNT]."),
    ("mpipp match s_type 3", "Write mpipp match TYPE [COUNT] with TYPE [COUNT]."),
    (
        "mpipp match pair with with row",
        'There is more than one "with": write a variable of this name as (with).',
    ),
    ("mpipp match nosuch with pair", 'No symbol "nosuch" in current context.'),
    ("mpipp match pair nosuch with pair", 'No symbol "nosuch" in current context.'),
    ("mpipp match s_type with s_type -2", "The count -2 of s_type is negative."),
    (
        "mpipp match s_type[1] with s_type",
        "s_type[1] is a part of a datatype: write the whole datatype.",
    ),
    ("mpipp match s_type with s_type 2.5", "2.5 is not an integer."),
    ("mpipp typesig s_type &pair", "&pair is not an integer."),
    # These words are not evaluated, because that would change a variable of this name.
    ("mpipp match pair --json with pair", "Write --json at the beginning or at the end."),
    ("mpipp null[0]", "null is MPI_DATATYPE_NULL: it has no elements."),
    ("mpipp null at 0", "null is MPI_DATATYPE_NULL: it has no elements."),
    ("mpipp match null with s_type", "null is MPI_DATATYPE_NULL: it has no elements."),
    ("mpipp match MPI_DATATYPE_NULL with s_type", "MPI_DATATYPE_NULL has no elements."),
    ("mpipp match world with s_type", "world is a handle of kind comm: write an MPI_Datatype."),
    ("mpipp match --fast real with pair", "There is no option --fast: write --json."),
    ("mpipp match real with @2 pair", 'There is no inferior 2: see "info inferiors".'),
)
PAIR = [{"count": 1, "type": "MPI_INT"}, {"count": 1, "type": "MPI_DOUBLE"}]
DOCUMENTS = (
    (
        "mpipp typesig row 2 --json",
        {
            "mpipp": 1,
            "command": "typesig",
            "datatype": "row",
            "count": 2,
            "elements": 4000,
            "size": 24000,
            "signature": [{"count": 2000, "entries": PAIR}],
            "complete": True,
        },
    ),
    (
        "mpipp match --json s_type 2 with other",
        {
            "mpipp": 1,
            "command": "match",
            "verdict": "mismatch",
            "known": True,
            "equal": 5,
            "sender": {
                "datatype": "s_type",
                "count": 2,
                "elements": 28,
                "size": 86,
                "element": {
                    "address": "(STRUCT)[1][0](CHAR)",
                    "type": "MPI_CHAR",
                    "displacement": 20,
                    "packed": 20,
                    "size": 1,
                    "part": 0,
                },
            },
            "receiver": {
                "datatype": "other",
                "count": 1,
                "elements": 14,
                "size": 43,
                "element": {
                    "address": "(STRUCT)[1][0](SIGNED_CHAR)",
                    "type": "MPI_SIGNED_CHAR",
                    "displacement": 20,
                    "packed": 20,
                    "size": 1,
                    "part": 0,
                },
            },
        },
    ),
)


@support.each_handle
def test_conversation(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "match.c"), mpi)
    lines = [line for line, _ in (*CONVERSATION, *DOCUMENTS)]
    stop = ["break mark", "run"]
    said = typed.answers(lines, ["frame function main"], program=program, mpi=mpi, stop=stop)
    typed.compare([(line, mpi.cited(text)) for line, text in CONVERSATION], said)
    for (_, document), found in zip(DOCUMENTS, said[len(CONVERSATION) :]):
        assert json.loads(found) == document


@test_inferiors.both
def test_types_of_two_processes(mpi: support.MPI) -> None:
    program = support.compile_program(test_inferiors.RANKS, mpi)
    with test_inferiors.ranks(program, mpi) as pids:
        commands = [f"source {expectations.FRAMES}", f"attach {pids[0]}"]
        commands += ["add-inferior", "inferior 2", f"attach {pids[1]}", "inferior 1"]
        commands += [test_inferiors.IN_MAIN, "echo @@\\n"]
        typed = ("match type with @2 type", "match @2 type with type", "typesig @2 type rank")
        for command in (*typed, "match @2 nosuch with type"):
            commands += [f"mpipp {command}", "echo @@\\n"]
        commands += ["output rank", "echo \\n@@\\n"]
        output = support.gdb_batch(commands, mpi=mpi)
    said = [re.sub(r"^\[Switching.*\n", "", text) for text in output.split("@@\n")[1:]]
    place = "type(VECTOR)[2][0](INT)  MPI_INT  displacement 16, packed 8\n"
    assert said[:5] == [
        "partial: 2 elements of the 3 received are sent: "
        "legal in point-to-point, not in collective communication\n"
        f"  unchanged from  {place}",
        "longer: 3 elements sent, but only 2 received: "
        f"the message is truncated (MPI_ERR_TRUNCATE)\n  cut off from  {place}",
        # The count is also evaluated in inferior 2.
        "3 x MPI_INT\n3 elements, 12 bytes\n",
        'No symbol "nosuch" in current context.\n',
        # The selected frame is restored.
        "0\n",
    ]
