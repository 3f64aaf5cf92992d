# SPDX-License-Identifier: MIT
"""Thousands of damaged registries, described without a debugger: the output is sentences."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.datatypes.values.nodes import buffer
from mpipp.model import KINDS, Broken, DatatypeRecord, Object, Request
from mpipp.registry.memory.address_space import BytesMemory
from mpipp.registry.registry import Registry
from mpipp.render import buffers, object_structs
from mpipp.render.structure import Shown, count, part
from mpipp.render.type_tree_text import meta_tree
from mpipp.render.value_text import values_text
from tests.around import Around
from tests.short import some
from tests.unit.registry.registry_image import Image
from tests.unit.samples import INT, vector

ROUNDS = some(2500)


def image() -> Image:
    """Some objects of every kind, in a chain and with calls."""
    made = Image()
    integer = made.datatype(1, "NAMED", name="MPI_INT")
    blocks = made.datatype(2, "VECTOR", [3, 2, 4], [integer], extents=(24, 0, 40, 0, 40))
    made.datatype(3, "INDEXED", [2, 1, 2, 0, 5], [blocks])
    made.datatype(4, "STRUCT", [2, 1, 2, 0, 64], [integer, blocks])
    counts = made.integers([1, 2])
    peers = made.pack("vector", length=2, counts=counts, count_size=8)
    data = made.allocate(bytes(range(64)))
    side = made.pack("buffer", record=integer, address=data, vector=1)
    whole = made.pack("buffer", record=blocks, address=data, count=1, peers=1)
    active = made.value("request_state", "active")
    for kind in KINDS[1:]:
        call = made.call("MPI_Alltoallv", [side, whole], [peers])
        more: dict[str, Any] = {"call": call} if kind in ("request", "file") else {}
        if kind == "request":
            more["state"] = active
        made.object(kind, 7, name="name", **more)
    made.thread(serial=1, tid=5, depth=1, call=made.call("MPI_Send", [whole]))
    made.finish()
    return made


def look(shown: Shown, depth: int = 3) -> None:
    """Read the first parts of a shown value."""
    for i in range(min(count(shown), 4) if depth else 0):
        look(part(shown, i), depth - 1)


def look_at_all(found: Iterable[Object | Broken], memory: BytesMemory, around: Around) -> None:
    """Read several objects."""
    for one in found:
        look_at(one, memory, around)


def look_at(found: Object | Broken | None, memory: BytesMemory, around: Around) -> None:
    """Read all that gdb would show of an object in short form."""
    if found is None or isinstance(found, Broken):
        return
    look(object_structs.described(found, around))
    object_structs.summary(found)
    if isinstance(found, DatatypeRecord):
        for number, _ in enumerate(meta_tree(found.tree, lambda tree: "")):
            if number > 20:
                break
        look(buffers.entries(0x1000, 3, found, memory))
    if isinstance(found, Request):
        for number in range(len(found.call.buffers)):
            for _, shown in buffers.of_call(found.call, number, 1, memory, around):
                look(shown)


def read_all(memory: BytesMemory, address: int) -> None:
    """Read the whole registry. Each part may fail by itself."""
    registry = Registry(memory, address)
    around = Around(registry)
    steps: list[Any] = [lambda: registry.info, lambda: list(registry.threads())]
    for kind in KINDS:
        steps += [
            lambda kind=kind: look_at_all(registry.objects(kind, True), memory, around),
            lambda kind=kind: look_at(registry.find(kind, 7), memory, around),
            lambda kind=kind: registry.by_fint(kind, 0),
        ]
    for step in steps:
        try:
            step()
        except MpippError as error:
            sentence(error)


def sentence(error: MpippError) -> None:
    """Check that an error is one non-empty line."""
    text = str(error)
    assert len(text) > 10 and "\n" not in text, text


@pytest.mark.parametrize("seed", range(some(4)))
def test_random_damage(seed: int) -> None:
    chance = random.Random(seed)
    made = image()
    clean = bytes(made.bytes)
    used = len(clean.rstrip(b"\0"))
    records = [record for kind in KINDS for _, record in made.objects[kind]]
    for number in range(ROUNDS):
        data = bytearray(clean)
        for _ in range(chance.randint(1, 6)):
            if chance.random() < 0.5:
                data[chance.randrange(used)] = chance.choice((0, 1, 8, 0x7F, 0xFF, number % 256))
            else:
                value = chance.choice((0, 1, 1 << 40, (1 << 64) - 1, chance.getrandbits(64)))
                value = chance.choice((value, chance.choice(records)))
                place = chance.randrange(0, used, 8)
                data[place : place + 8] = value.to_bytes(8, "little")
        memory = BytesMemory({made.base: data})
        try:
            read_all(memory, made.base)
        except MpippError as error:
            sentence(error)
        except Exception as error:
            raise AssertionError(f"seed {seed}, round {number}") from error


def test_a_huge_datatype_in_unreadable_memory() -> None:
    reads = 0

    class Nothing:
        def read(self, address: int, length: int) -> bytes:
            nonlocal reads
            reads += 1
            raise UnreadableMemory(address, length)

    damaged = vector(1 << 40, 1, 1 << 20, INT)
    text = values_text(buffer(Nothing(), 0x1000, 1, damaged))
    assert text.startswith("{{<cannot read 0x1000>}") and text.endswith("...}")
    assert reads < 300_000


def test_a_negative_count() -> None:
    made = image()
    memory = BytesMemory({made.base: made.bytes})
    found = Registry(memory, made.base).find("datatype", 2)
    assert isinstance(found, DatatypeRecord)
    assert buffers.entries(0x1000, -1, found, memory) == "no data: the count -1 is negative"
