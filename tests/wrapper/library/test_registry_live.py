# SPDX-License-Identifier: MIT
"""A real program under the wrapper, read from outside while it waits in MPI."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mpipp.model import (
    KINDS,
    Broken,
    Comm,
    DatatypeRecord,
    Errhandler,
    File,
    Group,
    Info,
    Message,
    Op,
    Request,
    Session,
    Thread,
    Win,
)
from mpipp.registry.layout.field_table import find_in
from mpipp.registry.memory.address_space import ProcessMemory
from mpipp.registry.registry import Registry
from tests import support

PROGRAM = Path(__file__).with_name("registry_live.c")
FLAVORS = {"mpich": "MPICH", "openmpi": "Open MPI", "abi": "MPI ABI"}


class Live:
    """A waiting program: the values of its handles, and its registry."""

    def __init__(self, mpi: support.MPI, process: subprocess.Popen[str]) -> None:
        self.mpi = mpi
        self.process = process
        assert process.stdout is not None
        self.said: dict[str, int] = {}
        for line in process.stdout:
            if line == "ready\n":
                break
            name, value = line.split()
            self.said[name] = int(value, 16)
        else:
            pytest.fail(f"the program ended with status {process.wait()}")
        self.memory = ProcessMemory(process.pid)
        self.registry = Registry(self.memory, self._symbol())
        while not any(isinstance(t, Thread) and t.call for t in self.registry.threads()):
            self.registry.invalidate()

    def _symbol(self) -> int:
        names = subprocess.run(
            [support.need("nm"), "-D", self.mpi.wrapper], capture_output=True, text=True, check=True
        )
        (offset,) = [
            int(line.split()[0], 16)
            for line in names.stdout.splitlines()
            if line.endswith(" mpipp_registry")
        ]
        maps = Path(f"/proc/{self.process.pid}/maps").read_text().splitlines()
        return offset + min(
            int(line.partition("-")[0], 16) for line in maps if line.endswith(self.mpi.wrapper)
        )

    def find(self, kind: str, name: str) -> Any:
        found = self.registry.find(kind, self.said[name])
        assert found is not None, f"{name} is not recorded"
        assert not isinstance(found, Broken), found
        return found


@pytest.fixture(params=support.MPI_IDS, scope="module")
def live(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Live]:
    mpi = support.find_mpi(request.param)
    program = support.compile_program(PROGRAM, mpi)
    file = tmp_path_factory.mktemp("live") / "data"
    with subprocess.Popen(
        [program, file],
        env={**mpi.env, "LD_PRELOAD": mpi.wrapper},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Live(mpi, process)
        finally:
            process.kill()


def test_root(live: Live) -> None:
    info = live.registry.info
    assert info.flavor == FLAVORS[live.mpi.id.rstrip("45")]
    assert (info.status, info.pid, info.dropped) == ("started", live.process.pid, 0)
    assert (info.world_rank, info.world_size) == (0, 1)
    assert info.standard == live.mpi.standard
    assert info.library_version and info.built_with


def test_found_without_the_symbol(live: Live) -> None:
    assert find_in(live.memory, live.memory.search) == live.registry.address


def test_nothing_is_broken(live: Live) -> None:
    for kind in KINDS:
        for found in live.registry.objects(kind, ended=True):
            assert not isinstance(found, Broken), found


def test_datatypes(live: Live) -> None:
    vector: DatatypeRecord = live.find("datatype", "vector")
    assert (vector.tree.combiner, vector.tree.name) == ("VECTOR", "my vector")
    assert vector.tree.arguments == {"count": 3, "blocklength": 2, "stride": 4}
    assert vector.tree.extents == vector.tree.computed
    assert vector.committed and vector.header.site.address
    assert vector.tree.components[0].name == "MPI_DOUBLE"
    structure: DatatypeRecord = live.find("datatype", "structure")
    assert structure.tree.arguments == {
        "count": 2,
        "blocklengths": (5, 1),
        "displacements": (0, 32),
    }
    assert structure.tree.components[1] is vector.tree
    assert structure.tree.extents == structure.tree.computed
    assert not structure.committed
    double: DatatypeRecord = live.find("datatype", "MPI_DOUBLE")
    assert double.header.predefined and double.tree.size == 8
    null: DatatypeRecord = live.find("datatype", "MPI_DATATYPE_NULL")
    assert null.header.null


def test_arrays(live: Live) -> None:
    subarray: DatatypeRecord = live.find("datatype", "subarray")
    assert subarray.tree.arguments == {
        "ndims": 2,
        "sizes": (8, 9),
        "subsizes": (3, 4),
        "starts": (1, 2),
        "order": "FORTRAN",
    }
    darray: DatatypeRecord = live.find("datatype", "darray")
    assert darray.tree.arguments == {
        "size": 4,
        "rank": 1,
        "ndims": 2,
        "gsizes": (8, 9),
        "distribs": ("CYCLIC", "NONE"),
        "dargs": (None, None),
        "psizes": (4, 1),
        "order": "C",
    }
    indexed: DatatypeRecord = live.find("datatype", "indexed")
    assert indexed.tree.arguments["displacements"] == (0, -7)


def test_a_freed_component(live: Live) -> None:
    resized: DatatypeRecord = live.find("datatype", "resized")
    assert resized.tree.arguments == {"lb": -8, "extent": 24}
    component = resized.tree.components[0].origin
    assert isinstance(component, DatatypeRecord)
    assert component.header.freed
    assert component.header.handle == live.said["freed"]
    listed = list(live.registry.objects("datatype"))
    assert resized in listed and component not in listed
    assert component in live.registry.objects("datatype", ended=True)


def test_fortran_handle(live: Live) -> None:
    vector = live.find("datatype", "vector")
    assert live.registry.by_fint("datatype", vector.header.fint) == vector


def test_communicators(live: Live) -> None:
    dup: Comm = live.find("comm", "dup")
    assert (dup.header.name, dup.rank, dup.size, dup.inter) == ("my comm", 0, 1, False)
    assert dup.world_ranks == range(1)
    assert dup.errhandler == live.said["MPI_ERRORS_RETURN"]
    cart: Comm = live.find("comm", "cart")
    assert (cart.topology, cart.dims, cart.periods) == ("cartesian", (1, 1), (0, 1))
    assert cart.coords == (0, 0)
    assert live.find("comm", "MPI_COMM_WORLD").header.name == "MPI_COMM_WORLD"
    assert live.find("comm", "MPI_COMM_NULL").header.null
    group: Group = live.find("group", "group")
    assert (group.size, group.rank, group.world_ranks) == (1, 0, range(1))
    handler: Errhandler = live.find("errhandler", "MPI_ERRORS_RETURN")
    assert (handler.header.name, handler.function) == ("MPI_ERRORS_RETURN", 0)


def test_requests(live: Live) -> None:
    receive: Request = live.find("request", "receive")
    call = receive.call
    assert (receive.state, receive.persistent, call.procedure) == ("active", False, "MPI_Irecv")
    assert (call.tag, call.dest, call.comm) == (7, None, live.said["MPI_COMM_WORLD"])
    assert live.registry.constant_name(call.source or 0, "MPI_ANY_SOURCE") == "MPI_ANY_SOURCE"
    (buffer,) = call.buffers
    assert (buffer.role, buffer.address, buffer.count) == ("buf", live.said["data"], 3)
    assert buffer.access == {"writes"}
    assert isinstance(buffer.datatype, DatatypeRecord)
    assert buffer.datatype.tree.name == "MPI_DOUBLE"
    assert receive in live.registry.pending_requests()
    persistent: Request = live.find("request", "persistent")
    assert (persistent.state, persistent.persistent) == ("inactive", True)
    assert persistent not in live.registry.pending_requests()


def test_a_pending_v_form_keeps_its_own_counts(live: Live) -> None:
    varying: Request = live.find("request", "varying")
    send, receive = varying.call.buffers
    assert (send.role, receive.role) == ("sendbuf", "recvbuf")
    assert send.shares is not None and receive.shares is not None
    (share,) = send.shares
    assert (share.count, share.displacement) == (3, 8)


def test_window(live: Live) -> None:
    win: Win = live.find("win", "win")
    assert (win.base, win.size, win.disp_unit) == (live.said["base"], 64, 8)
    assert (win.flavor, win.comm) == ("allocate", live.said["MPI_COMM_WORLD"])
    assert (win.epochs, win.locks, win.lock_count) == (("lock",), ((0, True),), 1)


def test_others(live: Live) -> None:
    op: Op = live.find("op", "op")
    assert (op.function, op.commute) == (live.said["add"], True)
    assert live.find("op", "MPI_SUM").header.name == "MPI_SUM"
    info: Info = live.find("info", "info")
    assert info.entries == (("my key", "my value"),)
    file: File = live.find("file", "file")
    assert file.filename.endswith("data")
    assert (file.disp, file.datarep, file.split) == (16, "native", None)
    message: Message = live.find("message", "message")
    assert (message.source, message.tag) == (0, 5)
    if "session" in live.said:
        session: Session = live.find("session", "session")
        assert session.errhandler == live.said["MPI_ERRORS_RETURN"]


def test_active_call(live: Live) -> None:
    (busy,) = [t for t in live.registry.threads() if isinstance(t, Thread) and t.call]
    assert busy.tid == live.process.pid
    call = busy.call
    assert call is not None
    assert (call.procedure, call.source, call.tag) == ("MPI_Recv", 0, 6)
    assert call.site.address and call.frame
    (buffer,) = call.buffers
    assert (buffer.address, buffer.count) == (live.said["data"] + 32 * 8, 1)
