# SPDX-License-Identifier: MIT
"""Fortran, with mpif.h, the module mpi and the module mpi_f08: handles, buffers, constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import support
from tests.languages import conversation
from tests.languages.conversation import python

INTERFACES = {"mpif.h": [], "mpi": ["-DUSE_MPI"], "mpi_f08": ["-DUSE_MPI_F08"]}

every_interface = pytest.mark.parametrize("interface", INTERFACES)

VECTOR = "{kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = 'MPI_DOUBLE_PRECISION'}"
ROWS = "{{1.5, 2.5}, {5.5, 6.5}, {9.5, 10.5}}"
TEN_TIMES = "{{15, 25}, {55, 65}, {95, 105}}"


def pending(request: int, count: int, datatype: str, data: str) -> str:
    return (
        f"{{address = %p, call = 'MPI_Irecv', request = {request}, count = {count}, "
        f"type = {datatype}, data = {data}}}"
    )


def active(call: str, count: int, datatype: str, data: str, more: str = "") -> str:
    return (
        f"{{address = %p, call = '{call}', count = {count}, type = {datatype}, "
        f"data = {data}{more}}}"
    )


# The datatype is an INTEGER or a derived type, and a variable, an element or a component.
TYPES = (
    ("mpipp vec a", ROWS),
    ("mpipp vec[1] a", "{5.5, 6.5}"),
    ("mpipp types(1)[1] field", "{55, 65}"),
    ("mpipp types(2) numbers 3", "{7, 8, 9}"),
    ("mpipp real8 a 2", "{1.5, 2.5}"),
    (
        "mpipp h%row[2][1]",
        "h%row(VECTOR)[2][1](DOUBLE_PRECISION)\n"
        "  type          MPI_DOUBLE_PRECISION\n"
        "  size          8 bytes\n"
        "  displacement  72 bytes\n"
        "  packed        40 bytes",
    ),
    ("mpipp no_type a", "no data: the datatype is MPI_DATATYPE_NULL"),
)

# Buffers of pending requests, with all kinds of arrays.
BUFFERS = (
    ("output a", pending(1, 1, VECTOR, ROWS)),
    ("output outer", pending(1, 1, VECTOR, ROWS)),
    ("output text", pending(2, 5, "'MPI_CHARACTER'", "'hello'")),
    ("output z", pending(3, 2, "'MPI_COMPLEX'", "{1 + 2i, -0.5 + 0i}")),
    ("output flags", pending(4, 2, "'MPI_LOGICAL'", "{.TRUE., .FALSE.}")),
    ("output numbers", pending(5, 3, "'MPI_INTEGER'", "{7, 8, 9}")),
    ("output field(1, 2)", "55"),
    ("info locals", "...a = {address = %p, call = 'MPI_Irecv', request = 1..."),
)

REQUEST = (
    "{operation = 'MPI_Irecv', state = active, source = 0, tag = 3, comm = 'MPI_COMM_SELF', "
    f"buf = {{address = %p, count = 1, type = {VECTOR}}}}}"
)

# The types of mpi_f08 show the kind of a handle, an INTEGER does not.
HANDLES = (
    ("output vec", VECTOR),
    ("output no_type", "MPI_DATATYPE_NULL"),
    ("output real8", "MPI_REAL8"),
    ("output types", f"({VECTOR}, MPI_INTEGER)"),
    ("output h", f"( row = {VECTOR}, comm = {{name = 'halo', rank = 0, size = 1}} )"),
    ("output world", "{name = 'MPI_COMM_WORLD', rank = 0, size = 1}"),
    ("output no_comm", "MPI_COMM_NULL"),
    ("output members", "{size = 1, rank = 0}"),
    ("output op", "MPI_SUM"),
    ("output info", "{{key = 'key', value = 'value'}}"),
    ("output errhandler", "MPI_ERRORS_RETURN"),
    ("output request", REQUEST),
    ("output no_request", "MPI_REQUEST_NULL"),
    ("info locals", f"...request = {REQUEST}...vec = {VECTOR}..."),
)

ALSO = ", also = 'MPI_Irecv request #1'"


def program(mpi: support.MPI, interface: str) -> Path:
    flags = ["-g", "-O0", "-cpp", *INTERFACES[interface]]
    if interface != "mpi_f08":
        # Without this option, the compiler rejects calls with buffers of different types.
        flags.append("-fallow-argument-mismatch")
    return support.compile_program(conversation.PROGRAMS / "fortran.f90", mpi, flags)


MARK = ["break work::mark", "run", "frame function cells"]


@pytest.mark.each_case
@support.every_fortran
@every_interface
def test_handles(mpi: support.MPI, interface: str) -> None:
    lines = [*TYPES]
    if interface == "mpi_f08":
        lines += HANDLES
    else:
        lines += [("output vec", "%n"), ("output world", "%n")]
    conversation.hold(lines, program=program(mpi, interface), mpi=mpi, stop=MARK)


@pytest.mark.each_case
@support.every_fortran
@every_interface
def test_buffers_of_requests(mpi: support.MPI, interface: str) -> None:
    conversation.hold(BUFFERS, program=program(mpi, interface), mpi=mpi, stop=MARK)


@pytest.mark.each_case
@support.every_fortran
@every_interface
def test_buffers_of_calls(mpi: support.MPI, interface: str) -> None:
    in_place = "MPI_IN_PLACE (1 MPI_DOUBLE_PRECISION)"
    lines = [
        python("break_in('Bcast', 'Allreduce')"),
        python("next_call('work::assumed_shape')"),
        ("output x", active("MPI_Bcast", 1, VECTOR, ROWS, ALSO)),
        ("mpipp datatype x", ROWS),
        ("up", "..."),
        ("output a", active("MPI_Bcast", 1, VECTOR, ROWS, ALSO)),
        python("next_call('work::assumed_shape')"),
        ("output x", active("MPI_Bcast", 1, VECTOR, TEN_TIMES)),
        ("up", "..."),
        ("output field", active("MPI_Bcast", 1, VECTOR, TEN_TIMES)),
        python("next_call('work::assumed_size')"),
        ("output x", active("MPI_Bcast", 1, VECTOR, ROWS, ALSO)),
        python("next_call('work::section')"),
        *section(mpi, interface),
        python("next_call('cells')"),
        *last_section(mpi, interface),
        python("next_call('work::reduced')"),
        ("output &x", active("MPI_Allreduce", 1, "'MPI_DOUBLE_PRECISION'", "2")),
        (
            "output &sendbuf",
            "{address = MPI_IN_PLACE, call = 'MPI_Allreduce', count = 1, "
            "type = 'MPI_DOUBLE_PRECISION', data = 'in place: see recvbuf'}",
        ),
        ("mpipp list calls", f"...sendbuf = {in_place}, recvbuf = %p (1 MPI_DOUBLE_PRECISION)..."),
        python("next_call('cells')"),
        ("mpipp list calls", "...buffer = MPI_BOTTOM (1 STRUCT[1])..."),
        ("continue", "..."),
        python("select('work::waited')"),
        ("output &status", "MPI_STATUS_IGNORE"),
    ]
    conversation.hold(lines, program=program(mpi, interface), mpi=mpi, stop=MARK)


REAL8 = "'MPI_DOUBLE_PRECISION'"


def hvector(count: int, stride: int, datatype: str) -> str:
    shape = f"count = {count}, blocklength = 1, stride = {stride}"
    return f"{{kind = HVECTOR, {shape}, type = {datatype}}}"


# MPICH's mpi_f08 gets an array section by descriptor, and creates a datatype for it. In all other
# cases the compiler passes a copy of the section to MPI, and the program has no name for the copy.
def by_descriptor(mpi: support.MPI, interface: str) -> bool:
    return interface == "mpi_f08" and mpi.id.startswith("mpich")


def section(mpi: support.MPI, interface: str) -> list[tuple[str, str]]:
    if by_descriptor(mpi, interface):
        # x(1:4:2, :) is 15, 35, 55, 75, 95, 115, but MPICH (3.4 to 4.2) really sends other
        # elements.
        datatype = f"{{kind = CONTIGUOUS, count = 3, type = {hvector(2, 16, REAL8)}}}"
        data = "{{{15}, {35}}, {{45}, {65}}, {{75}, {95}}}"
        return [("output x", active("MPI_Bcast", 1, datatype, data))]
    return [
        ("output x(3, 1)", "35"),
        ("output x", "...15, 25, 35, 45) ..."),
        ("mpipp list calls", "...buffer = %p (6 MPI_DOUBLE_PRECISION)..."),
    ]


def last_section(mpi: support.MPI, interface: str) -> list[tuple[str, str]]:
    if by_descriptor(mpi, interface):
        datatype = hvector(3, 32, hvector(2, 24, REAL8))
        data = "{{{{1.5}, {4.5}}}, {{{5.5}, {8.5}}}, {{{9.5}, {12.5}}}}"
        return [("output outer", active("MPI_Bcast", 1, datatype, data, ALSO))]
    return [("mpipp list calls", "...buffer = %p (6 MPI_DOUBLE_PRECISION)...")]


@support.every_fortran
def test_types_of_c_without_names(mpi: support.MPI) -> None:
    """C types without names also occur in frames of the C library below main, if its debug
    information is installed."""
    programs = Path(__file__).with_name("programs")
    flags = ["-g", "-O0", "-w", str(programs / "c_types.c")]
    program = support.compile_program(programs / "c_types.f90", mpi, flags)
    held = [f"mpipp compare MPI_INT with held%{name}" for name in ("unnamed", "unions", "numbers")]
    commands = ["mpipp check", "mpipp compare", "mpipp frame", "up", "set language fortran", *held]
    commands += ["mpipp held%pointer", "mpipp held%function", "mpipp array", "mpipp pointers"]
    stop = ["set breakpoint pending on", "mpipp break MPI_Bcast", "run"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    lines = output.splitlines()
    assert lines[0] == "no findings in 1 process, 1 active call, 0 pending requests"
    assert "Traceback" not in output
    types = [line.partition("its type is ")[2] for line in lines if "its type is " in line]
    function = "struct {...} (...) *."
    assert types == ["struct {...} *.", function, "struct {...} [2].", "struct {...} * [2]."]
    fits = [line.partition("1 element, fits ")[2] for line in lines if "1 element, fits " in line]
    assert [one.split(",")[0] for one in fits] == [
        "held%unnamed(0) (struct {...}",
        "held%unions(0) (union {...}",
        "held%numbers(0) (enum {...}",
    ]
