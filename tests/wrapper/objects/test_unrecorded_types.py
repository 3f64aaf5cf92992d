# SPDX-License-Identifier: MIT
"""Datatypes that the wrapper did not see created. They are imported when a call uses them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mpipp.model import DatatypeRecord
from tests import support
from tests.wrapper.watched import Process, watched

VECTOR = "VECTOR", {"count": 3, "blocklength": 2, "stride": 4}
STRUCT = "STRUCT", {"count": 2, "blocklengths": (2, 1), "displacements": (32, 0)}
MADE: dict[str, tuple[str, dict[str, Any]]] = {
    "contiguous": ("CONTIGUOUS", {"count": 2}),
    "hvector": ("HVECTOR", {"count": 2, "blocklength": 3, "stride": 100}),
    "indexed": ("INDEXED", {"count": 2, "blocklengths": (2, 1), "displacements": (4, 0)}),
    "hindexed": ("HINDEXED", {"count": 2, "blocklengths": (2, 1), "displacements": (32, 0)}),
    "block": ("INDEXED_BLOCK", {"count": 2, "blocklength": 2, "displacements": (4, 0)}),
    "hblock": ("HINDEXED_BLOCK", {"count": 2, "blocklength": 2, "displacements": (32, 0)}),
    "subarray": (
        "SUBARRAY",
        {"ndims": 2, "sizes": (6, 7), "subsizes": (2, 3), "starts": (1, 4), "order": "FORTRAN"},
    ),
    "darray": (
        "DARRAY",
        {
            "size": 4,
            "rank": 1,
            "ndims": 2,
            "gsizes": (6, 7),
            "distribs": ("BLOCK", "CYCLIC"),
            "dargs": (None, 2),
            "psizes": (2, 2),
            "order": "C",
        },
    ),
    "resized": ("RESIZED", {"lb": -4, "extent": 400}),
}


@support.every_mpi
def test_out_of_sight(mpi: support.MPI, tmp_path: Path) -> None:
    with watched("unrecorded_types.c", mpi, args=[tmp_path / "file"]) as (process,):
        process.until("made")
        assert not process.live("datatype")
        process.until("used")
        used(process)
        contents(process)
        process.until("as components")
        inner = process.find("datatype", "outer").tree.components[0]
        assert (inner.combiner, inner.arguments["stride"]) == ("VECTOR", 5)
        assert "imported" in inner.origin.header.flags
        unseen_w = process.find("datatype", "unseen_w")
        assert "imported" in unseen_w.header.flags and unseen_w.tree.arguments["stride"] == 6
        fortran = process.find("datatype", "fortran")
        if not fortran.header.null:  # a library without Fortran support lacks this datatype
            assert fortran.tree.components[0].combiner == "F90_REAL"
        process.check_consistent()
        process.end()


def used(process: Process) -> None:
    forms = ["", "_c"] if "vector_c" in process.said else [""]
    for suffix in forms:
        for name, (combiner, arguments) in MADE.items():
            record: DatatypeRecord = process.find("datatype", name + suffix)
            assert (record.tree.combiner, record.tree.arguments) == (combiner, arguments), name
            assert "imported" in record.header.flags and record.committed
            assert record.large == bool(suffix), name + suffix
            assert not record.header.freed
        structure = process.find("datatype", f"resized{suffix}").tree.components[0]
        assert (structure.combiner, structure.arguments) == STRUCT
        vector = structure.components[1]
        assert (vector.combiner, vector.arguments) == VECTOR
        assert vector.components[0].name == "MPI_INT"
    dup = process.find("datatype", "dup")
    assert (dup.tree.combiner, dup.tree.components[0].arguments) == ("DUP", VECTOR[1])


def contents(process: Process) -> None:
    process.until("contents")
    taken = process.find("datatype", "taken")
    assert (taken.tree.combiner, taken.tree.arguments["count"]) == ("VECTOR", 5)
    assert not taken.header.freed
    process.until("contents freed")
    assert not process.find("datatype", "outer").header.freed
    process.until("view")
    etype, filetype = process.find("datatype", "etype"), process.find("datatype", "filetype")
    assert etype.tree.size == 4
    assert filetype.tree.size == 16 and not filetype.header.freed
