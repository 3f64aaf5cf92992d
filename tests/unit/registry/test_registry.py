# SPDX-License-Identifier: MIT
"""Every kind of object, from registries of both byte orders and with unusual layouts."""

from __future__ import annotations

import struct

import pytest

from mpipp.common.errors import MpippError
from mpipp.model import (
    Broken,
    Call,
    Comm,
    DatatypeRecord,
    Errhandler,
    File,
    Group,
    Header,
    Info,
    Message,
    Op,
    Request,
    Session,
    Site,
    Thread,
    Win,
)
from mpipp.registry.layout.field_table import find_in
from mpipp.registry.registry import Registry
from tests.unit.registry.registry_image import Image


@pytest.fixture(params=["<", ">"], ids=["little", "big"])
def image(request: pytest.FixtureRequest) -> Image:
    return Image(request.param)


def read(image: Image, **finish: int) -> Registry:
    return Registry(image.finish(**finish), image.base)


def test_info(image: Image) -> None:
    info = read(image).info
    assert (info.flavor, info.status, info.pid) == ("MPICH", "started", 4711)
    assert (info.world_rank, info.world_size, info.dropped) == (1, 2, 0)
    assert info.standard == (4, 1)
    assert (info.library_version, info.built_with) == ("A library", "mpicc")


def test_vector_of_named(image: Image) -> None:
    double = image.datatype(
        0x100, "NAMED", name="MPI_DOUBLE", extents=(8, 0, 8, 0, 8), flags=["predefined"]
    )
    image.datatype(
        0x200,
        "VECTOR",
        [3, 2, -4],
        [double],
        (48, -64, 80, -64, 80),
        flags=["committed", "large count"],
        name="my vector",
        fint=-7,
        site=(0x401136, image.integers([2, 0x401200, 0x401300])),
    )
    found = read(image).find("datatype", 0x200)
    assert isinstance(found, DatatypeRecord)
    assert found.committed and found.large and not found.header.freed
    assert found.header.fint == -7
    assert found.header.site == Site(0x401136, (0x401200, 0x401300))
    tree = found.tree
    assert (tree.combiner, tree.name, tree.origin) == ("VECTOR", "my vector", found)
    assert tree.arguments == {"count": 3, "blocklength": 2, "stride": -4}
    assert (tree.lb, tree.extent) == (-64, 80)
    (component,) = tree.components
    assert (component.combiner, component.name, component.size) == ("NAMED", "MPI_DOUBLE", 8)
    assert isinstance(component.origin, DatatypeRecord)
    assert component.origin.header.predefined


ARGUMENTS = [
    ("DUP", [], {}),
    ("CONTIGUOUS", [7], {"count": 7}),
    ("HVECTOR", [1, 2, 3], {"count": 1, "blocklength": 2, "stride": 3}),
    ("INDEXED", [2, 5, 6, 0, 9], {"count": 2, "blocklengths": (5, 6), "displacements": (0, 9)}),
    ("HINDEXED", [1, 5, -8], {"count": 1, "blocklengths": (5,), "displacements": (-8,)}),
    ("INDEXED_BLOCK", [2, 4, 1, 9], {"count": 2, "blocklength": 4, "displacements": (1, 9)}),
    ("HINDEXED_BLOCK", [0, 4], {"count": 0, "blocklength": 4, "displacements": ()}),
    ("RESIZED", [-4, 1 << 40], {"lb": -4, "extent": 1 << 40}),
]


@pytest.mark.parametrize(("combiner", "values", "expected"), ARGUMENTS, ids=lambda v: str(v)[:14])
def test_arguments(image: Image, combiner: str, values: list[int], expected: object) -> None:
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    image.datatype(2, combiner, values, [integer])
    found = read(image).find("datatype", 2)
    assert isinstance(found, DatatypeRecord)
    assert (found.tree.combiner, found.tree.arguments) == (combiner, expected)


def test_struct_subarray_darray_f90(image: Image) -> None:
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    real = image.datatype(2, "F90_REAL", [15, 307], extents=(8, 0, 8, 0, 8))
    image.datatype(3, "STRUCT", [2, 1, 3, 0, 8], [integer, real])
    fortran, c = image.value("order", "FORTRAN"), image.value("order", "C")
    image.datatype(4, "SUBARRAY", [2, 8, 9, 3, 4, 1, 2, fortran], [integer])
    cyclic, none = image.value("distribution", "CYCLIC"), image.value("distribution", "NONE")
    image.datatype(5, "DARRAY", [4, 1, 2, 8, 9, cyclic, none, -1, 2, 4, 1, c], [integer])
    registry = read(image)
    struct_, subarray, darray = (registry.find("datatype", handle) for handle in (3, 4, 5))
    assert isinstance(struct_, DatatypeRecord)
    assert [component.combiner for component in struct_.tree.components] == ["NAMED", "F90_REAL"]
    assert struct_.tree.components[1].arguments == {"p": 15, "r": 307}
    assert isinstance(subarray, DatatypeRecord)
    assert subarray.tree.arguments == {
        "ndims": 2,
        "sizes": (8, 9),
        "subsizes": (3, 4),
        "starts": (1, 2),
        "order": "FORTRAN",
    }
    assert isinstance(darray, DatatypeRecord)
    assert darray.tree.arguments == {
        "size": 4,
        "rank": 1,
        "ndims": 2,
        "gsizes": (8, 9),
        "distribs": ("CYCLIC", "NONE"),
        "dargs": (None, 2),
        "psizes": (4, 1),
        "order": "C",
    }


def test_a_long_chain_of_constructors() -> None:
    image = Image()
    record = image.datatype(1, "NAMED", name="MPI_INT")
    for handle in range(2, 2000):
        record = image.datatype(handle, "DUP", [], [record])
    found = read(image, capacity=4096).find("datatype", 1999)
    assert isinstance(found, DatatypeRecord)
    assert found.tree.depth == 1998


def test_handles_are_masked_to_their_size(image: Image) -> None:
    image.datatype(0x8C000006, "NAMED", name="MPI_INT")
    image.object("file", 0x7FFF_1234_5678)
    registry = read(image, handle_size=4)
    for handle in (0x8C000006, 0x8C000006 - (1 << 32), 0xFFFF_FFFF_8C00_0006):
        found = registry.find("datatype", handle)
        assert isinstance(found, DatatypeRecord)
        assert found.header.handle == 0x8C000006
    assert isinstance(registry.find("file", 0x7FFF_1234_5678), File)
    assert registry.find("datatype", 0x1234) is None


def test_a_full_row_of_slots_is_probed_to_its_end() -> None:
    image = Image()
    for handle in range(1, 17):
        image.object("group", handle)
    registry = read(image, capacity=16)
    for handle in range(1, 17):
        found = registry.find("group", handle)
        assert isinstance(found, Group)
        assert found.header.handle == handle
    assert registry.find("group", 17) is None


def test_lists_leave_out_freed_and_unused(image: Image) -> None:
    image.object("op", 1, name="MPI_SUM", flags=["predefined"], commute=1)
    image.object("op", 2, flags=["ended"])
    image.object("op", 3, serial=0)
    image.object("op", 4, function=0x401000)
    registry = read(image)
    live = list(registry.objects("op"))
    assert all(isinstance(op, Op) for op in live)
    assert {op.header.handle for op in live if isinstance(op, Op)} == {1, 4}
    assert {op.header.handle for op in registry.objects("op", ended=True)} == {1, 2, 4}
    found = registry.find("op", 1)
    assert isinstance(found, Op)
    assert (found.header.name, found.function, found.commute) == ("MPI_SUM", 0, True)
    changing = registry.find("op", 3)
    assert isinstance(changing, Broken)
    assert changing.reason.endswith("is being changed")


def test_communicators_and_groups(image: Image) -> None:
    image.object("comm", 1, rank=1, size=4, world_known=1, errhandler=9)
    image.object(
        "comm",
        2,
        rank=0,
        size=2,
        inter=1,
        remote_size=3,
        world_ranks=image.integers([5, 7], "i"),
        remote_world_ranks=image.integers([1, 2, -1], "i"),
        topology=image.value("topology", "cartesian"),
        ndims=2,
        dims=image.integers([2, 1], "i"),
        periods=image.integers([0, 1], "i"),
        coords=image.integers([1, 0], "i"),
        indegree=4,
        outdegree=4,
    )
    image.object("group", 3, size=2, rank=-1)
    registry = read(image)
    first, second = registry.find("comm", 1), registry.find("comm", 2)
    assert isinstance(first, Comm)
    assert (first.world_ranks, first.remote_world_ranks) == (range(4), None)
    assert (first.inter, first.topology, first.dims, first.errhandler) == (False, "none", (), 9)
    assert isinstance(second, Comm)
    assert (second.inter, second.world_ranks) == (True, (5, 7))
    assert second.remote_world_ranks == (1, 2, -1)
    assert (second.topology, second.dims, second.periods, second.coords) == (
        "cartesian",
        (2, 1),
        (0, 1),
        (1, 0),
    )
    group = registry.find("group", 3)
    assert isinstance(group, Group)
    assert (group.size, group.rank, group.world_ranks) == (2, -1, None)


def test_windows(image: Image) -> None:
    order = image.byte_order
    image.object(
        "win",
        1,
        base=0x7FFF00001000,
        size=64,
        disp_unit=8,
        flavor=image.value("win_flavor", "allocate"),
        model=image.value("win_model", "unified"),
        comm=5,
        epochs=image.value("epoch", "lock", "fence"),
        access_group=7,
        lock_count=2,
        known_locks=2,
        lock_ranks=struct.pack(order + "8i", 3, 4, *range(6)),
        lock_exclusive=struct.pack(order + "8i", 1, 0, *range(6)),
    )
    win = read(image).find("win", 1)
    assert isinstance(win, Win)
    assert (win.base, win.size, win.disp_unit) == (0x7FFF00001000, 64, 8)
    assert (win.flavor, win.model, win.comm) == ("allocate", "unified", 5)
    assert win.epochs == ("fence", "lock")
    assert win.locks == ((3, True), (4, False))
    assert (win.access_group, win.exposure_group) == (7, None)


def test_files_infos_and_the_rest(image: Image) -> None:
    split = image.call("MPI_Irecv", present=["offset"], offset=-5)
    image.object(
        "file",
        1,
        comm=2,
        filename=image.string("/tmp/data"),
        amode=9,
        disp=16,
        etype=3,
        filetype=4,
        datarep=image.string("native"),
        split_pending=1,
        call=split,
    )
    entries = image.allocate("käse\0brie\0empty\0\0".encode() + b"\xff\0x\0")
    image.object("info", 1, key_count=3, entries=entries)
    image.object("errhandler", 1, function=0x401000)
    image.object("session", 1, errhandler=0)
    image.object("message", 1, comm=2, source=3, tag=-1)
    registry = read(image)
    file = registry.find("file", 1)
    assert isinstance(file, File)
    assert (file.filename, file.datarep, file.disp, file.amode) == ("/tmp/data", "native", 16, 9)
    assert isinstance(file.split, Call)
    assert (file.split.offset, file.split.dest) == (-5, None)
    info = registry.find("info", 1)
    assert isinstance(info, Info)
    assert info.entries == (("käse", "brie"), ("empty", ""), ("\\xff", "x"))
    errhandler, session = registry.find("errhandler", 1), registry.find("session", 1)
    assert isinstance(errhandler, Errhandler) and errhandler.function == 0x401000
    assert isinstance(session, Session) and session.errhandler is None
    message = registry.find("message", 1)
    assert isinstance(message, Message)
    assert (message.comm, message.source, message.tag) == (2, 3, -1)


def test_null_handles_leave_fields_empty(image: Image) -> None:
    image.object("win", 1, name="MPI_WIN_NULL", flags=["null"])
    image.object("request", 1, name="MPI_REQUEST_NULL", flags=["null"])
    image.datatype(1, "NAMED", name="MPI_DATATYPE_NULL", flags=["null"], extents=(0,) * 5)
    registry = read(image)
    win, request = registry.find("win", 1), registry.find("request", 1)
    assert isinstance(win, Win) and (win.header.null, win.flavor) == (True, "")
    assert isinstance(request, Request) and (request.header.null, request.state) == (True, "")
    null = registry.find("datatype", 1)
    assert isinstance(null, DatatypeRecord) and null.tree.name == "MPI_DATATYPE_NULL"


def test_threads(image: Image) -> None:
    image.thread(serial=1, tid=17, self=0x7FFF00000000, depth=1, call=image.call("MPI_Send"))
    image.thread(serial=2, tid=18, depth=0)
    image.thread(serial=0, tid=19)
    idle, busy = sorted(read(image).threads(), key=lambda t: t.depth)
    assert (idle.tid, idle.call) == (18, None)
    assert (busy.tid, busy.pthread_self, busy.call.procedure) == (17, 0x7FFF00000000, "MPI_Send")


def test_a_call_that_is_not_whole(image: Image) -> None:
    call = image.call("MPI_Send", present=["constructor"], state="none", input_count=2, inputs=0)
    image.thread(serial=1, tid=17, depth=1, call=call)
    (thread,) = read(image).threads()
    assert isinstance(thread, Thread) and thread.call is None


def test_a_call_whose_arguments_are_gone(image: Image) -> None:
    """The arguments were on the stack of a process that was killed."""
    call = image.call("MPI_Send", present=["constructor"], input_count=2, inputs=8)
    image.thread(serial=1, tid=17, depth=1, call=call)
    (thread,) = read(image).threads()
    assert isinstance(thread, Thread) and thread.call is not None
    assert (thread.call.procedure, thread.call.constructor) == ("MPI_Send", None)


def test_fortran_handles(image: Image) -> None:
    image.object("comm", 10, fint=0, flags=["predefined"], name="MPI_COMM_WORLD")
    image.object("comm", 11, fint=0, flags=["null"], name="MPI_COMM_NULL")
    image.object("comm", 12, fint=0)
    image.object("comm", 13, fint=5)
    image.object("comm", 14, fint=6, flags=["ended"])
    registry = read(image)
    world, other = registry.by_fint("comm", 0), registry.by_fint("comm", 5)
    assert isinstance(world, Comm) and world.header.name == "MPI_COMM_WORLD"
    assert isinstance(other, Comm) and other.header.handle == 13
    assert registry.by_fint("comm", 6) is None


def test_fortran_handles_where_handles_are_integers(image: Image) -> None:
    image.object("request", 0x98000000)
    image.object("request", 0x98000001, flags=["ended"])
    registry = read(image, handle_size=4)
    found = registry.by_fint("request", 0x98000000 - (1 << 32))
    assert isinstance(found, Request) and found.header.handle == 0x98000000
    assert registry.by_fint("request", 0x98000001 - (1 << 32)) is None


def test_constants(image: Image) -> None:
    registry = read(image)
    assert registry.constants["MPI_ANY_SOURCE"] == -2
    assert registry.constant_name(-1, "MPI_ANY_SOURCE", "MPI_ANY_TAG") == "MPI_ANY_TAG"
    assert registry.constant_name(-1, "MPI_ANY_SOURCE") is None
    assert registry.constant_name((1 << 64) - 1, "MPI_IN_PLACE") == "MPI_IN_PLACE"


def test_changes_are_seen_after_invalidate() -> None:
    image = Image()
    record = image.object("op", 1, commute=0)
    memory = image.finish()
    registry = Registry(memory, image.base)
    before = registry.find("op", 1)
    assert registry.find("op", 1) is before
    size = image.sizes["op"]
    header = image.pack("object", handle=1, serial=1, kind=5)
    start = record - image.base
    image.bytes[start : start + size] = image.pack("op", object=header, commute=1)
    assert registry.find("op", 1) is before
    registry.invalidate()
    after = registry.find("op", 1)
    assert isinstance(after, Op) and after.commute


def test_found_by_its_magic_and_not_a_copy() -> None:
    image = Image()
    memory = image.finish()
    copy = image.allocate(bytes(image.bytes[:4096]))
    memory = image.memory()
    hits = [0x10, copy, image.base]
    assert find_in(memory, lambda pattern: hits) == image.base
    with pytest.raises(MpippError, match="there is no mpipp registry in this program"):
        find_in(memory, lambda pattern: [copy])


def test_headers_are_what_objects_have_in_common(image: Image) -> None:
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    image.datatype(2, "VECTOR", [3, 2, 4], [integer], flags=["committed"], name="v")
    # Its arguments show that the constructor is damaged.
    image.datatype(3, "VECTOR", [3], [integer])
    image.datatype(4, "DUP", [], [integer], flags=["ended"])
    registry = read(image)
    headers = [header for header in registry.headers("datatype") if isinstance(header, Header)]
    assert sorted(header.handle for header in headers) == [1, 2, 3]
    found = registry.find("datatype", 2)
    assert isinstance(found, DatatypeRecord)
    assert found.header in headers
    assert registry.combiner(found.header.record) == "VECTOR"
    assert len(list(registry.headers("datatype", ended=True))) == 4
