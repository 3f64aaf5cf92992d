# SPDX-License-Identifier: MIT
"""Handles that the library reuses, and loops that create and free objects."""

from __future__ import annotations

from mpipp.model import KINDS, DatatypeRecord
from tests import support
from tests.wrapper.watched import Process, watched

KILOBYTES = 1024  # growth limit of a loop, far less than a record for every hundredth object


@support.every_mpi
def test_handles_and_loops(mpi: support.MPI) -> None:
    with watched("handle_reuse.c", mpi) as (process,):
        identity(process)
        made_again(process)
        for name in ("types", "nested", "requests", "heavy", "others"):
            process.until(f"{name} before")
            counts = {kind: process.count(kind) for kind in KINDS}
            live = {kind: len(process.live(kind)) for kind in KINDS}
            process.until(f"{name} after")
            assert {kind: process.count(kind) for kind in KINDS} == counts, name
            assert {kind: len(process.live(kind)) for kind in KINDS} == live, name
            grown = process.said[f"{name}.after"] - process.said[f"{name}.before"]
            assert grown < KILOBYTES, name
        assert not process.pending()
        assert max(counts.values()) < 5000
        process.check_consistent()
        process.end()


def identity(process: Process) -> None:
    """Check that a reused handle is a new object, and that references to the first one stay."""
    first = process.until("first").find("datatype", "first")
    process.until("freed")
    freed = process.registry.find("datatype", process.said["first"])
    assert freed is not None and freed.header.freed
    assert freed.header.serial == first.header.serial
    process.until("second")
    second = process.find("datatype", "second")
    assert second.tree.combiner == "CONTIGUOUS"
    assert second.header.serial > first.header.serial
    component = process.find("datatype", "structure").tree.components[0]
    assert component.origin.header.freed
    assert component.origin.header.serial == first.header.serial
    assert component.arguments == {"count": 3, "blocklength": 2, "stride": 4}
    process.until("third")
    assert process.find("datatype", "third").tree.arguments == {"count": 8}
    assert process.said["first"] == process.said["second"] or process.said["third"] in (
        process.said["first"],
        process.said["second"],
        process.said["structure"],
    ), "the library did not use any handle again: this tests nothing"


def made_again(process: Process) -> None:
    """Check an equal datatype that is created again: only its new facts are stored."""
    types = []
    for i in range(4):
        process.until(f"again {i}")
        types.append(process.find("datatype", "outer"))
        assert types[i].tree.arguments == {"count": 3, "blocklength": 2, "stride": 4}
        inner = types[i].tree.components[0].origin.header
        assert not inner.freed and inner.handle == process.said["inner"]
        process.check_consistent()
    headers = [datatype.header for datatype in types]
    assert [header.name for header in headers] == ["", "named", "", ""]
    assert [datatype.committed for datatype in types] == [True, False, False, False]
    assert [header.serial - headers[0].serial for header in headers][:3] == [0, 1, 2]
    assert headers[3].serial > headers[2].serial
    assert len({header.site.address for header in headers}) == 1
    assert [datatype.tree.size for datatype in types] == [48, 48, 48, 120]


@support.on_mpi("mpich4", "mpich5")
def test_a_record_that_was_recycled(mpi: support.MPI) -> None:
    # The recycled record must not be taken for the next datatype with the same handle. The history
    # is off, so that no record refers to the datatype.
    with watched("recycled_records.c", mpi, env={"MPIPP_LEDGER": "0"}) as (process,):
        process.until("pending")
        (request,) = process.pending()
        used, found = request.call.buffers[0].datatype, process.find("datatype", "again")
        assert isinstance(used, DatatypeRecord), used
        assert used.tree.arguments == {"count": process.said["count"]}
        assert used.header.record == found.header.record
        assert found.header.references == 1
        process.until("over")
        references = [found.header.references for found in process.live("datatype")]
        assert references == [0] * len(references)
        process.check_consistent()
        process.end()
