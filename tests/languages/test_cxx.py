# SPDX-License-Identifier: MIT
"""C++: handles without a typedef, containers of handles, and containers as buffers."""

from __future__ import annotations

from pathlib import Path

from tests import support
from tests.languages import conversation
from tests.languages.conversation import python

VECTOR = '{kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}'
ROWS = "{{0.5, 1.5}, {4.5, 5.5}, {8.5, 9.5}}"
HALO = f'{{row = {VECTOR}, comm = {{name = "MPI_COMM_WORLD", rank = 0, size = 1}}}}'

# `auto` and templates drop typedefs, but the target of a pointer handle shows its kind.
POINTERS = (
    ("output deduced", VECTOR),
    ("output alias", VECTOR),
    ("output *pointer", VECTOR),
    ("output types", f"std::vector of length 2, capacity 2 = {{{VECTOR}, MPI_INT}}"),
    ("output named", f"std::map with 1 element = {{[1] = {VECTOR}}}"),
    ("output pair", f"{{_M_elems = {{{VECTOR}, MPI_CHAR}}}}"),
)
# In MPICH's ABI a handle is an int. mpipp accepts it as a datatype where one is expected.
INTEGERS = (
    ("output deduced", "%n"),
    ("output *pointer", "%n"),
    ("output types", "std::vector of length 2, capacity 2 = {%n, %n}"),
)
EVERYWHERE = (
    ("output row", VECTOR),
    ("output halos", f"std::vector of length 1, capacity 1 = {{{HALO}}}"),
    ("mpipp deduced values", ROWS),
    ("mpipp alias[1] values", "{4.5, 5.5}"),
    ("mpipp *pointer values", ROWS),
    ("mpipp types[0] values", ROWS),
    ("mpipp types[0][1] values", "{4.5, 5.5}"),
    ("mpipp pair._M_elems[0][1] values", "{4.5, 5.5}"),
    ("mpipp halos[0].row values", ROWS),
    # A container as an address. No function of the program is called.
    ("mpipp row values", ROWS),
    ("mpipp row values 1", ROWS),
    ("mpipp row &values[0]", ROWS),
    ("mpipp row values.data()", ROWS),
    ("mpipp row (&values)->data()", ROWS),
    ("mpipp row values._M_impl._M_start", ROWS),
    ("mpipp row[0] &values[4]", "{4.5, 5.5}"),
    ("mpipp row fixed", ROWS),
    ("mpipp row fixed._M_elems", ROWS),
)
BUFFER = f'{{address = %p, call = "MPI_Bcast", count = 1, type = {VECTOR}, data = {ROWS}}}'


def program(mpi: support.MPI) -> Path:
    return support.compile_program(conversation.PROGRAMS / "cxx.cc", mpi)


MARK = ["break mark", "run", "frame function main"]


@support.each_handle
def test_handles_and_addresses(mpi: support.MPI) -> None:
    typeless = INTEGERS if mpi.id.startswith("mpich") else POINTERS
    conversation.hold([*EVERYWHERE, *typeless], program=program(mpi), mpi=mpi, stop=MARK)


@support.each_handle
def test_containers_as_buffers(mpi: support.MPI) -> None:
    lines = [
        python("break_in('Bcast')"),
        python("next_call('main')"),
        ("output values", BUFFER),
        ("output empty", "std::vector of length 0, capacity 0"),
        ("down", "..."),
        ("output values", BUFFER),
        ("output type", VECTOR),
        python("next_call('main')"),
        ("output values", "std::vector of length 12, capacity 12 = {0.5, ..."),
        ("output fixed", f"{{_M_elems = {BUFFER}}}"),
    ]
    conversation.hold(lines, program=program(mpi), mpi=mpi, stop=MARK)


@support.on_mpi("mpich4", "openmpi4")
def test_an_error_handler_that_throws(mpi: support.MPI) -> None:
    thrown = support.compile_program(Path(__file__).with_name("programs") / "exception.cc", mpi)
    stop = ["set breakpoint pending on", "break mark", "run"]
    look = ["continue 3", "mpipp list calls", "mpipp list types"]
    said = support.gdb_batch(look, program=thrown, mpi=mpi, stop=stop)
    assert "\n0 calls\n" in said and said.count("made at exception.cc:33 in main") == 3, said
