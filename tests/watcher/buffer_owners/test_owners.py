# SPDX-License-Identifier: MIT
"""Buffers of watched runs, compared with the variables and heap blocks in which they begin."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, every_fortran, every_mpi, on_mpi
from tests.watcher import runs

BEYOND = re.compile(r"error: (\w+) of MPI_\w+ runs past the (?:end|last element) of (.*)")
TYPE = re.compile(r"warning: the datatype of \w+ does not fit the variable (.*)")
PLACE = re.compile(r"    (?:called at|from) (?:owners|later_uses)\.\w+:(\d+)")


def named(block: str) -> str:
    """The object that a block names, after "type: " if the datatype does not fit."""
    first = block.splitlines()[0]
    beyond, kind = BEYOND.match(first), TYPE.match(first)
    assert beyond or kind, block
    assert PLACE.search(block), block
    return beyond[2] if beyond else f"type: {kind[1]}" if kind else ""


def found(mpi: MPI, name: str, *arguments: str) -> list[str]:
    """The object that each block of a run names."""
    run = runs.run(mpi, [runs.program(name, mpi), *arguments], "--check", n=1)
    return [named(block) for block in run.blocks]


@every_mpi
def test_c(mpi: MPI) -> None:
    small = "a block of the heap with 40 bytes"
    assert found(mpi, "owners.c") == [
        "row (double [4], 32 bytes)",
        "lone (int, 4 bytes)",
        "table (float [4], 16 bytes)",
        "row (double [4], 32 bytes)",
        "lone (int, 4 bytes)",
        "matrix (double [4][2], 64 bytes)",
        "particles (struct particle [4], 160 bytes)",
        small,
        small,
        "a block of the heap with 802800 bytes",
    ]


@every_mpi
def test_cxx(mpi: MPI) -> None:
    assert found(mpi, "owners.cc") == [
        "reserved (elements in use: 0 bytes)",
        "values (elements in use: 12 bytes)",
        "field.values (elements in use: 48 bytes)",
        "type: exact (double [6], 48 bytes)",
        "type: field (Field, 40 bytes)",
        "a block of the heap with 40 bytes",
    ]


@every_fortran
def test_fortran(mpi: MPI) -> None:
    assert found(mpi, "owners.f90") == [
        "mine (real(kind=8) (8), 64 bytes)",
        "field (real(kind=8) (15), 120 bytes)",
        "table (integer(kind=4) (4), 16 bytes)",
        "common block /numbers/ (16 bytes)",
        "scalar (integer(kind=4), 4 bytes)",
        "type: small (integer(kind=2) (6), 12 bytes)",
    ]


@every_mpi
def test_types_of_heap_blocks(mpi: MPI) -> None:
    expected = [
        "type: values (float [16], 64 bytes)",
        "type: rows (double * [64], 512 bytes)",
        "type: table (float [8], 32 bytes)",
    ]
    run = runs.run(mpi, [runs.program("heap_types.c", mpi)], "--check", n=1)
    assert [f"type: {kind[1]}" for block in run.blocks if (kind := TYPE.search(block))] == expected
    assert len(run.blocks) == 3
    assert (
        "8 bytes that straddle values[0] at 0 and values[1] at 4: MPI_FLOAT fits" in run.blocks[0]
    )
    assert runs.run(mpi, [runs.program("heap_types.c", mpi), "fixed"], "--check", n=1).blocks == []


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ("count", ["second (double [4], 32 bytes)"]),
        ("variable", ["small (int [4], 16 bytes)"]),
        ("type", ["type: third[0..1] (double [2], 16 bytes)"]),
        ("", []),
    ],
)
def test_later_calls_of_a_place(mpi: MPI, wrong: str, expected: list[str]) -> None:
    assert found(mpi, "later_uses.c", wrong) == expected


@on_mpi("mpich4", "openmpi4")
def test_sizes_of_long(mpi: MPI) -> None:
    program = runs.program("long_sizes.cc", mpi)
    (block,) = runs.run(mpi, [program], "--check=portability", n=1).blocks
    assert "[0..2](LONG) is on numbers[0..2], of type int64_t" in block
    assert runs.run(mpi, [program, "fixed"], "--check=portability", n=1).blocks == []


@every_fortran
@pytest.mark.parametrize("flag", ["-O0", "-O2"])
def test_temporaries_in_the_memory_of_variables(mpi: MPI, flag: str) -> None:
    program = runs.program("shared_stack.f90", mpi, flag)
    (block,) = runs.run(mpi, [program], "--check", n=1).blocks
    kind = TYPE.search(block)
    assert kind is not None and kind[1].startswith("values")
    assert runs.run(mpi, [program, "fixed"], "--check", n=1).blocks == []


@every_mpi
@pytest.mark.parametrize("name", ["owners.c", "owners.cc"])
def test_corrected(mpi: MPI, name: str) -> None:
    assert found(mpi, name, "fixed") == []


@every_fortran
def test_corrected_fortran(mpi: MPI) -> None:
    assert found(mpi, "owners.f90", "fixed") == []


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_mpi4py(mpi: MPI) -> None:
    script = runs.program_source("owners.py")
    wrong = runs.run(mpi, [str(mpi.python), script], "--check", n=1)
    assert [named(block) for block in wrong.blocks] == [
        "few (int16 [5], 10 bytes)",
        "the array that row is a view of (192 bytes)",
        "type: same (float32 [8], 32 bytes)",
        "flags (bool [3], 3 bytes)",
    ]
    fixed = runs.run(mpi, [str(mpi.python), script, "fixed"], "--check", n=1)
    assert fixed.blocks == []


@every_mpi
def test_bytes_of_containers(mpi: MPI) -> None:
    program = runs.program("containers.cc", mpi)
    run = runs.run(mpi, [program], "--check", n=2)
    first = [block.splitlines()[0] for block in run.blocks]
    assert [line.partition(" (")[0] for line in first] == [
        "warning: buffer of MPI_Bcast overwrites the pointers in named.name",
        "warning: buffer of MPI_Bcast overwrites the pointers in numbers",
    ]
    assert runs.run(mpi, [program, "fixed"], "--check", n=2).blocks == []
