# SPDX-License-Identifier: MIT
"""The wrapper's fingerprints of datatypes equal those of their signatures in Python."""

from __future__ import annotations

import socket
import struct
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import pytest

from mpipp.datatypes import signatures
from mpipp.datatypes.signatures import hashing
from mpipp.datatypes.signatures.hashing import Digest
from mpipp.model import DatatypeRecord
from tests.short import some
from tests.support import MPI, on_mpi
from tests.wrapper.watched import Process, watched

_DIGEST = struct.Struct("=QQ16xQQ")  # struct mpipp_fingerprint: hash, power, elements, bits


class _Kept(NamedTuple):
    digest: int


def kept(process: Process) -> Iterator[tuple[DatatypeRecord, Digest]]:
    """The datatypes with a fingerprint, and the fingerprint."""
    source = process.registry._source
    decoder = source.object_decoder("datatype", _Kept)
    for found in process.registry._tables.records("datatype"):
        assert isinstance(found, tuple), found
        address, record = found
        where = decoder.decode(record).digest
        if where:
            one = process.registry.at("datatype", address)
            assert isinstance(one, DatatypeRecord)
            first, second, elements, bits = _DIGEST.unpack(process.memory.read(where, _DIGEST.size))
            yield one, Digest(elements, first, second, bits)


@contextmanager
def all_are_strict() -> Iterator[str]:
    """A socket whose server answers only that all processes use --strict."""
    with tempfile.TemporaryDirectory() as directory:
        server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        server.bind(f"{directory}/watcher")
        server.listen()

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection = server.accept()[0]
                    if connection.recv(4096).startswith(b"MPIPPALL"):
                        connection.send(b"\1")
                    connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"{directory}/watcher"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            server.close()


def compare(mpi: MPI, seed: int, count: int) -> int:
    """Compare fingerprints of at least `count` random datatypes, and return their number."""
    with (
        all_are_strict() as path,
        watched(
            "fingerprints.c",
            mpi,
            n=2,
            args=[str(count), str(seed)],
            env={"MPIPP_STRICT": "report", "MPIPP_WATCH": path},
        ) as (one, other),
    ):
        other.until("made")
        one.until("made")
        seen = 0
        for datatype, found in kept(one):
            expected = hashing.digest(signatures.signature(datatype.tree))
            assert found == expected, datatype.tree
            seen += 1
    assert seen > count
    return seen


@pytest.mark.each_mpi
@on_mpi("mpich4", "openmpi4")
def test_digests_are_those_of_signatures(mpi: MPI) -> None:
    """20,000 with both libraries; `make fuzz` makes more."""
    compare(mpi, 1 if mpi.id == "mpich4" else 2, some(10_000))
