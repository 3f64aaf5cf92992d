# SPDX-License-Identifier: MIT
"""Every constructor of datatypes (small, large and removed) is recorded as MPI decodes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mpipp.model import DatatypeRecord
from mpipp.typetree import Extents
from tests import support
from tests.wrapper.watched import Process, watched

DARGS = (4, None, None)
DISTRIBS = ("BLOCK", "CYCLIC", "NONE")
LENGTHS, INDICES, BYTES = (2, 1, 0), (4, -3, 9), (32, -24, 80)
ARRAY = {"ndims": 3, "sizes": (6, 7, 5), "subsizes": (2, 3, 1), "starts": (1, 4, 0), "order": "C"}
ARRAY_2 = {"ndims": 2, "sizes": (6, 7), "subsizes": (2, 3), "starts": (1, 4), "order": "FORTRAN"}
PART = {"size": 4, "rank": 2, "ndims": 3, "gsizes": (6, 7, 5), "distribs": DISTRIBS,
        "dargs": DARGS, "psizes": (2, 2, 1), "order": "C"}  # fmt: skip

# For each name: combiner, arguments, names of components ("" if unnamed).
COMMON: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "contiguous": ("CONTIGUOUS", {"count": 5}, [""]),
    "vector": ("VECTOR", {"count": 3, "blocklength": 2, "stride": -4}, ["MPI_DOUBLE"]),
    "hvector": ("HVECTOR", {"count": 2, "blocklength": 3, "stride": 100}, ["MPI_INT"]),
    "indexed": (
        "INDEXED",
        {"count": 3, "blocklengths": LENGTHS, "displacements": INDICES},
        ["MPI_INT"],
    ),
    "hindexed": (
        "HINDEXED",
        {"count": 3, "blocklengths": LENGTHS, "displacements": BYTES},
        ["MPI_INT"],
    ),
    "indexed_block": (
        "INDEXED_BLOCK",
        {"count": 3, "blocklength": 2, "displacements": INDICES},
        ["MPI_SHORT"],
    ),
    "hindexed_block": (
        "HINDEXED_BLOCK",
        {"count": 2, "blocklength": 3, "displacements": BYTES[:2]},
        ["MPI_SHORT"],
    ),
    "structure": (
        "STRUCT",
        {"count": 3, "blocklengths": LENGTHS, "displacements": BYTES},
        ["MPI_DOUBLE", "", "MPI_CHAR"],
    ),
    "subarray": ("SUBARRAY", ARRAY, ["MPI_INT"]),
    "darray": ("DARRAY", PART, ["MPI_INT"]),
    "resized": ("RESIZED", {"lb": -40, "extent": 400}, ['a "name"']),
}
SMALL = {
    **COMMON,
    "dup": ("DUP", {}, [""]),
    "empty": ("STRUCT", {"count": 0, "blocklengths": (), "displacements": ()}, []),
    "subarray_f": ("SUBARRAY", ARRAY_2, ["MPI_INT"]),
    "one": ("CONTIGUOUS", {"count": 1}, ["MPI_DOUBLE_INT"]),
    "nothing": ("CONTIGUOUS", {"count": 0}, ["MPI_INT"]),
}
LARGE = {
    **{f"{name}_c": expected for name, expected in COMMON.items()},
    "resized_c": ("RESIZED", {"lb": -40, "extent": 400}, [""]),
    "huge_c": ("CONTIGUOUS", {"count": 1 << 40}, ["MPI_BYTE"]),
}
FORTRAN: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "f90_real": ("F90_REAL", {"p": 12}, []),  # r is MPI_UNDEFINED
    "f90_complex": ("F90_COMPLEX", {"p": 6, "r": 30}, []),
    "f90_integer": ("F90_INTEGER", {"r": 8}, []),
}
FIGURE_1 = (
    "STRUCT",
    {"count": 5, "blocklengths": (1, 5, 3, 2, 1), "displacements": (-4, 0, 24, 64, 100)},
    ["MPI_LB", "MPI_INT", "MPI_DOUBLE", "MPI_CHAR", "MPI_UB"],
)
PLAIN = ("STRUCT", {"count": 1, "blocklengths": (2,), "displacements": (32,)}, ["MPI_INT"])


@pytest.fixture(params=support.MPI_IDS, scope="module")
def made(request: pytest.FixtureRequest) -> Iterator[Process]:
    with watched("constructors.c", support.find_mpi(request.param)) as (process,):
        yield process.until("made")


def check(made: Process, name: str, expected: tuple[str, dict[str, Any], list[str]]) -> Any:
    record: DatatypeRecord = made.find("datatype", name)
    combiner, arguments, components = expected
    assert record.tree.combiner == combiner
    assert {k: v for k, v in record.tree.arguments.items() if k in arguments} == arguments
    assert [component.name for component in record.tree.components] == components
    numbers = [made.said[f"{name}.{n}"] for n in ("size", "lb", "extent", "true_lb", "true_extent")]
    assert record.tree.reported == Extents(*numbers)
    if made.said[f"{name}.line"]:
        assert made.line_of(record.header.site.address) == made.said[f"{name}.line"]
    return record


def test_small(made: Process) -> None:
    for name in SMALL:
        if name != "contiguous":  # "contiguous" has been freed, see below
            assert not check(made, name, SMALL[name]).large


def test_large(made: Process) -> None:
    assert ("huge_c" in made.said) == (made.registry.info.flavor != "Open MPI")
    if "huge_c" in made.said:
        for name in LARGE:
            assert check(made, name, LARGE[name]).large


def test_parameterised_fortran_types(made: Process) -> None:
    if "f90_real" in made.said:  # a library without Fortran support lacks this constructor
        for name in FORTRAN:
            record = check(made, name, FORTRAN[name])
            assert record.header.predefined and record.committed
        serials = [made.find("datatype", name).header.serial for name in ("f90_real", "again")]
        assert serials[0] == serials[1], "the same type twice"


def test_removed(made: Process) -> None:
    if "old_hvector" not in made.said:
        assert made.registry.info.flavor == "MPI ABI"
        return
    check(made, "old_hvector", COMMON["hvector"])
    check(made, "old_hindexed", COMMON["hindexed"])
    expected = FIGURE_1 if made.said["figure_1"] else PLAIN
    old_struct = check(made, "old_struct", expected)
    if made.said["figure_1"]:
        assert (old_struct.tree.lb, old_struct.tree.extent) == (-4, 104)


def test_commit_name_and_free(made: Process) -> None:
    assert made.find("datatype", "dup").committed
    assert not made.find("datatype", "vector").committed
    assert made.find("datatype", "structure").header.name == 'a "name"'
    assert made.find("datatype", "subarray").header.name == "second"
    contiguous = made.registry.find("datatype", made.said["contiguous"])
    reused = made.said["structure"] == made.said["contiguous"]
    assert contiguous is not None and contiguous.header.freed != reused


def test_components_are_the_very_records(made: Process) -> None:
    vector = made.find("datatype", "vector")
    assert made.find("datatype", "structure").tree.components[1] is vector.tree
    assert vector.header.references >= 2


def test_all_records_make_sense(made: Process) -> None:
    made.check_consistent()
