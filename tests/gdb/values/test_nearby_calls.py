# SPDX-License-Identifier: MIT
"""Buffers in gdb after their call, and at a line that makes the call again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.gdb import expectations
from tests.languages.test_fortran import INTERFACES, every_interface


def shown(call: str, state: str, rest: str) -> str:
    return f'{{address = %p, call = "{call}", state = "{state}", {rest}}}'


def line(program: Path, mark: str) -> int:
    lines = program.read_text().splitlines()
    (found,) = (i for i, text in enumerate(lines, 1) if text.endswith(mark))
    return found


def told(
    program: Path, source: Path, mpi: support.MPI, stops: list[tuple[str, list[str]]]
) -> list[str]:
    """The lines that gdb prints for expressions, at each stop in turn."""
    commands = []
    for number, (mark, expressions) in enumerate(stops):
        commands += [f"tbreak {source.name}:{line(source, mark)}", "continue" if number else "run"]
        for expression in expressions:
            commands += ["echo @@@", f"output {expression}", "echo \\n"]
    output = support.gdb_batch([*commands, "kill"], program=program, mpi=mpi)
    return [re.sub("0x[0-9a-f]+", "%p", text) for text in re.findall("@@@(.*)", output)]


@support.on_mpi("mpich4", "openmpi4")
def test_c(mpi: support.MPI) -> None:
    source = expectations.PROGRAMS / "nearby.c"
    program = support.compile_program(source, mpi)

    def exchange(name: str, state: str, data: str) -> str:
        amount = f'count = 2, type = "MPI_INT", data = {data}'
        return shown("MPI_Sendrecv", state.replace("HERE", at("exchange")), amount)

    def at(mark: str) -> str:
        return f"nearby.c:{line(source, '// ' + mark)} in main"

    again = "previous execution: HERE has not made this call again yet"
    vector = '{kind = VECTOR, count = 3, blocklength = 1, stride = 4, type = "MPI_DOUBLE"}'
    column = f"count = 1, type = {vector}, data = {{{{%s}}, {{0}}, {{0}}}}"
    stops = [
        ("// exchange", ["numbers"]),
        ("// behind the exchange", ["numbers", "got", "&got[1]"]),
        ("// column", ["&u[0][1]", "numbers"]),
        ("// behind the choice", ["got"]),
        ("// further", ["got"]),
        ("// gather", ["numbers"]),
        ("// behind the gathering", ["got"]),
        ("// exchange", ["numbers", "got"]),
        ("// column", ["&u[0][1]"]),
        ("// gather", ["numbers", "got"]),
    ]
    choice = f"nearby.c:{line(source, '// column') + 2} in main"
    once = exchange("numbers", "completed, called at HERE", "{1, 2}")
    expected = [
        "{1, 2}",
        once,
        once,
        "(int *) %p",
        "(double *) %p",
        "{2, 2}",
        shown(
            "MPI_Bcast",
            f"completed, called at {choice}",
            'count = 2, type = "MPI_INT", data = {1, 2}',
        ),
        "{1, 2}",
        "{2, 2}",
        shown(
            "MPI_Allgatherv",
            f"completed, called at {at('gather')}",
            'counts = {2}, offsets = {0}, type = "MPI_INT", data = {r0 = {2, 2}}',
        ),
        exchange("numbers", again, "{2, 2}"),
        exchange("got", again, "{2, 2}"),
        shown(
            "MPI_Bcast",
            again.replace("HERE", at("column")),
            column % "1",
        ),
        shown(
            "MPI_Allgatherv",
            again.replace("HERE", at("gather")),
            'count = 2, type = "MPI_INT", data = {3, 2}',
        ),
        "{2, 2}",  # the former contents of the arrays of counts are unknown
    ]
    assert told(program, source, mpi, stops) == expected


@support.on_mpi("mpich4", "openmpi4")
def test_a_call_with_another_second_buffer(mpi: support.MPI) -> None:
    source = expectations.PROGRAMS / "nearby_swapped.c"
    program = support.compile_program(source, mpi)
    arrays = ["got", "other"]
    completed = f"completed, called at nearby_swapped.c:{line(source, '// exchange')} in main"
    call = shown("MPI_Sendrecv", completed, 'count = 2, type = "MPI_INT", data = {1, 2}')
    expected = [call, "{0, 0}", "{1, 2}", call]
    behind = "// behind the exchange"
    assert told(program, source, mpi, [(behind, arrays), (behind, arrays)]) == expected


@support.on_mpi("mpich4", "openmpi4")
@every_interface
def test_fortran(mpi: support.MPI, interface: str) -> None:
    source = expectations.PROGRAMS / "nearby.f90"
    flags = ["-g", "-O0", "-cpp", "-fallow-argument-mismatch", *INTERFACES[interface]]
    program = support.compile_program(source, mpi, flags)
    place = f"nearby.f90:{line(source, '! column')} in MAIN__"
    vector = (
        "{kind = VECTOR, count = 3, blocklength = 1, stride = 4, type = 'MPI_DOUBLE_PRECISION'}"
    )
    stops = [
        ("! column", ["u(1,1)"]),
        ("! behind the column", ["u"]),
        ("! column", ["u"]),
    ]
    column = f"count = 1, type = {vector}, data = {{{{%d}}, {{0}}, {{0}}}}"
    expected = [
        "1",
        shown("MPI_Bcast", f"completed, called at {place}", column % 1).replace('"', "'"),
        shown(
            "MPI_Bcast",
            f"previous execution: {place} has not made this call again yet",
            column % 2,
        ).replace('"', "'"),
    ]
    assert told(program, source, mpi, stops) == expected


@support.on_mpi("mpich4")
@pytest.mark.parametrize("code", ["-O1", "-O2"])
def test_optimized(mpi: support.MPI, code: str) -> None:
    # The code of one line may lie in several places: gdb must not show a buffer of another call.
    source = expectations.PROGRAMS / "nearby.c"
    program = support.compile_program(source, mpi, ["-g", code])
    (found,) = told(program, source, mpi, [("// further", ["got"])])
    assert "MPI_Sendrecv" not in found
