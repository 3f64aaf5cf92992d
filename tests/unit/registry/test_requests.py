# SPDX-License-Identifier: MIT
"""Pending requests and their buffers, from registries of both byte orders."""

from __future__ import annotations

import pytest

from mpipp.common.errors import MpippError
from mpipp.model import DatatypeRecord, Request, Share, Site
from mpipp.registry.registry import Registry
from tests.unit.registry.registry_image import Image


@pytest.fixture(params=["<", ">"], ids=["little", "big"])
def image(request: pytest.FixtureRequest) -> Image:
    return Image(request.param)


def pending(image: Image) -> Request:
    (request,) = Registry(image.finish(), image.base).pending_requests()
    assert isinstance(request, Request)
    return request


def add_request(image: Image, call: bytes, state: str = "active", handle: int = 1) -> None:
    image.object(
        "request", handle, state=image.value("request_state", state), call=call, persistent=1
    )


def test_pending_request(image: Image) -> None:
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    buffer = image.pack(
        "buffer",
        address=0x7FFF00000010,
        count=5,
        peers=2,
        datatype=1,
        record=integer,
        access=image.value("access", "reads", "remote"),
        role=image.string("buf"),
    )
    call = image.call(
        "MPI_Irecv",
        [buffer],
        present=["comm", "source", "tag"],
        comm=3,
        source=-2,
        tag=0,
        dest=77,
        caller=0x401136,
        frame=0x7FFF00000000,
    )
    add_request(image, call)
    add_request(image, call, "inactive", 2)
    request = pending(image)
    assert (request.state, request.persistent, request.header.handle) == ("active", True, 1)
    call_ = request.call
    assert (call_.procedure, call_.state, call_.site) == ("MPI_Irecv", "active", Site(0x401136))
    assert (call_.comm, call_.source, call_.tag, call_.dest, call_.root) == (3, -2, 0, None, None)
    (only,) = call_.buffers
    assert (only.role, only.address, only.total_count) == ("buf", 0x7FFF00000010, 10)
    assert only.access == {"reads", "remote"}
    assert only.shares is None
    assert isinstance(only.datatype, DatatypeRecord) and only.datatype.tree.name == "MPI_INT"


def with_vector(
    image: Image, procedure: str, datatype: int = 0, **vector: int
) -> list[tuple[int, int | None, str | None]]:
    buffer = image.pack("buffer", address=1, record=datatype, vector=2, access=2)
    vectors = [image.pack("vector"), image.pack("vector", length=3, **vector)]
    add_request(image, image.call(procedure, [buffer], vectors))
    shares = pending(image).call.buffers[0].shares
    assert shares is not None
    assert list(shares[::-1])[::-1] == [shares[i] for i in range(len(shares))]
    return [(p.count, p.displacement, name(p)) for p in shares]


def name(share: Share) -> str | None:
    return share.datatype.tree.name if isinstance(share.datatype, DatatypeRecord) else None


def test_v_form_counts_displacements_in_extents(image: Image) -> None:
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    shares = with_vector(
        image,
        "MPI_Alltoallv",
        integer,
        counts=image.integers([1, 2, 3], "i"),
        count_size=4,
        displacements=image.integers([0, -2, 10]),
        displacement_size=8,
    )
    assert shares == [(1, 0, "MPI_INT"), (2, -8, "MPI_INT"), (3, 40, "MPI_INT")]


def test_v_form_without_displacements_is_dense(image: Image) -> None:
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    counts = image.integers([1, 2, 3])
    shares = with_vector(image, "MPI_Reduce_scatter", integer, counts=counts, count_size=8)
    assert shares == [(1, 0, "MPI_INT"), (2, 4, "MPI_INT"), (3, 12, "MPI_INT")]


def test_v_form_of_an_unknown_datatype(image: Image) -> None:
    counts = image.integers([1, 2, 3])
    shares = with_vector(image, "MPI_Reduce_scatter", counts=counts, count_size=8)
    assert shares == [(1, None, None), (2, None, None), (3, None, None)]


@pytest.mark.parametrize("copied", [True, False])
def test_w_form_counts_displacements_in_bytes(image: Image, copied: bool) -> None:
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    char = image.datatype(2, "NAMED", name="MPI_CHAR", extents=(1, 0, 1, 0, 1))
    shares = with_vector(
        image,
        "MPI_Alltoallw",
        counts=image.integers([1, 2, 3], "i"),
        count_size=4,
        displacements=image.integers([0, 8, 16], "i"),
        displacement_size=4,
        datatypes=image.integers([1, 2, 1]),
        records=image.integers([integer, char, 0]) if copied else 0,
    )
    last = None if copied else "MPI_INT"
    assert shares == [(1, 0, "MPI_INT"), (2, 8, "MPI_CHAR"), (3, 16, last)]


def test_a_million_peers_cost_nothing_until_shown(image: Image) -> None:
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    buffer = image.pack("buffer", record=integer, vector=1)
    vector = image.pack("vector", length=10**9, counts=0x10, count_size=4, displacements=0)
    add_request(image, image.call("MPI_Alltoallv", [buffer], [vector]))
    shares = pending(image).call.buffers[0].shares
    assert shares is not None
    assert len(shares) == 10**9
    with pytest.raises(MpippError, match="cannot read 4 bytes at"):
        shares[7]


def test_a_length_beyond_the_arrays(image: Image) -> None:
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    buffer = image.pack("buffer", record=integer, vector=1)
    counts = image.integers([1, 2], "i")
    vector = image.pack("vector", length=1 << 31, counts=counts, count_size=4, displacements=counts)
    add_request(image, image.call("MPI_Alltoallv", [buffer], [vector]))
    shares = pending(image).call.buffers[0].shares
    assert shares is not None
    with pytest.raises(MpippError, match="cannot read 4 bytes at"):
        shares[0]


def test_a_handle_is_looked_up_once(image: Image, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is cached until the process runs."""
    add_request(image, image.call("MPI_Irecv", []))
    registry = Registry(image.finish(), image.base)
    probed: list[int] = []
    probe = registry._tables._probe

    def counted(kind: str, handle: int) -> int | None:
        probed.append(handle)
        return probe(kind, handle)

    monkeypatch.setattr(registry._tables, "_probe", counted)
    found = registry.find("request", 1)
    assert found is registry.find("request", 1) is not None
    assert registry.find("request", 2) is registry.find("request", 2) is None
    assert probed == [1, 2]
    registry.invalidate()
    assert registry.find("request", 1) is not None
    assert probed == [1, 2, 1]
