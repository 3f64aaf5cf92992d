# SPDX-License-Identifier: MIT
"""Damaged registries: each ends in one sentence, or in a broken object."""

from __future__ import annotations

from typing import Any

import pytest

from mpipp.common.errors import MpippError
from mpipp.model import Broken
from mpipp.registry.layout import record_source
from mpipp.registry.memory.address_space import BytesMemory
from mpipp.registry.registry import Registry
from tests.unit.registry.registry_image import Image

BASE = 0x7F0000000000
OTHER = ": use the mpipp that came with the wrapper"


def refusal(image: Image, **root: int) -> str:
    with pytest.raises(MpippError) as caught:
        Registry(image.finish(**root), image.base)
    return str(caught.value)


def broken(image: Image, kind: str, handle: int) -> str:
    registry = Registry(image.finish(), image.base)
    found = registry.find(kind, handle)
    assert isinstance(found, Broken)
    assert found.kind == kind
    assert found in list(registry.objects(kind))
    return found.reason


def test_another_major_version() -> None:
    assert refusal(Image(), major=2) == (
        f"the mpipp registry at {BASE:#x} has major version 2; this mpipp reads 1{OTHER}"
    )


def test_a_larger_minor_version_with_more_tables_and_fields() -> None:
    image = Image()
    image.tables["gadgets"] = {"record": 200, "record_size": 8}
    image.fields["op"].append(("colour", 0, image.sizes["op"], "", 8))
    image.sizes["op"] += 16
    image.object("op", 1, commute=1, colour=3)
    registry = Registry(image.finish(minor=9), image.base)
    assert not isinstance(registry.find("op", 1), Broken)


def test_no_registry_nothing_recorded_and_a_copy() -> None:
    zero = BytesMemory({0: bytes(4096)})
    with pytest.raises(MpippError, match="there is no mpipp registry at 0x10"):
        Registry(zero, 0x10)
    with pytest.raises(MpippError, match=r"cannot read 64 bytes at 0xffffffffffffffff"):
        Registry(zero, (1 << 64) - 1)
    sentence = "the mpipp wrapper has recorded nothing yet: let the program call MPI first"
    assert refusal(Image(), self=0) == sentence
    assert refusal(Image(), self=0x10) == (
        f"the data at {BASE:#x} is a copy of the mpipp registry at 0x10"
    )


@pytest.mark.parametrize(
    ("root", "why"),
    [
        ({"mark": 0x01030204}, "its byte order mark is 04020301"),
        ({"size": 8}, "its root has 8 bytes"),
        ({"size": 0xFFFFFFFF}, "its root has 4294967295 bytes"),
        ({"field_count": 0}, "its field table has 0 entries of 48 bytes"),
        ({"field_count": 1 << 31}, "its field table has 2147483648 entries of 48 bytes"),
        ({"field_size": 8}, "its field table has 288 entries of 8 bytes"),
        ({"table_count": 1 << 31}, "it lists 2147483648 tables"),
        ({"table_size": 8}, "its table records of 8 bytes cannot hold their fields"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_damaged_root(root: dict[str, int], why: str) -> None:
    image = Image()
    if "field_size" in root:
        count = len(image.field_table())
        why = f"its field table has {count} entries of 8 bytes"
    assert refusal(image, **root) == f"the mpipp registry at {BASE:#x} is damaged: {why}"


def test_root_leads_nowhere() -> None:
    assert (
        refusal(Image(), fields=0) == f"cannot read {48 * len(Image().field_table())} bytes at 0x0"
    )
    assert refusal(Image(), tables=1 << 63).startswith("cannot read ")


def test_missing_field() -> None:
    image = Image()
    image.hidden = {("message", "tag")}
    image.object("message", 1)
    image.object("op", 1)
    assert broken(image, "message", 1) == (
        f"the mpipp registry at {BASE:#x} has no field 'tag' in its message records{OTHER}"
    )
    assert not isinstance(Registry(image.memory(), image.base).find("op", 1), Broken)


def test_fields_that_overlap_or_are_of_no_known_type() -> None:
    image = Image()
    name, kind, offset, of, size = image.fields["op"][1]
    image.fields["op"][1] = (name, kind, offset - 4, of, size)
    image.object("op", 1)
    assert broken(image, "op", 1).endswith(f"fields of its op records overlap at {name!r}")
    image = Image()
    image.object("op", 1)
    image.fields["op"][1] = (name, 7, offset, of, size)
    assert broken(image, "op", 1).endswith(f"{name!r} of its op records has type 7 and 8 bytes")


def test_missing_table() -> None:
    image = Image()
    memory = image.finish()
    del image.tables["sessions"]
    image.write_root()
    registry = Registry(memory, image.base)
    with pytest.raises(MpippError, match="the mpipp wrapper in this program records no sessions"):
        registry.find("session", 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"components": 0x10}, "cannot read 8 bytes at 0x10"),
        ({"component_count": 1 << 40}, "an array of 1099511627776 integers of 8 bytes is recorded"),
        ({"component_count": 1 << 24}, "cannot read 8 bytes at"),
        ({"argument_count": 1 << 62}, "an array of 4611686018427387904 integers"),
        ({"argument_count": 2}, "a datatype made by CONTIGUOUS is recorded with 2 argument values"),
        ({"argument_count": 0}, "a datatype made by CONTIGUOUS is recorded with 0 argument values"),
        ({"combiner": 99}, "99 is not a value of combiner"),
        ({"combiner": 0}, "a datatype made by NAMED is recorded with 1 argument values"),
    ],
    ids=lambda value: (
        "-".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else ""
    ),
)
def test_damaged_datatype(change: dict[str, int], reason: str) -> None:
    image = Image()
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    values: dict[str, Any] = {
        "combiner": image.value("combiner", "CONTIGUOUS"),
        "argument_count": 1,
        "arguments": image.integers([3, 3]),
        "component_count": 1,
        "components": image.integers([integer]),
        **change,
    }
    image.object("datatype", 2, **values)
    assert reason in broken(image, "datatype", 2)


def test_a_component_of_another_kind_or_missing() -> None:
    image = Image()
    other = image.datatype(1, "NAMED", name="MPI_INT")
    (start,) = [offset for name, _, offset, *_ in image.fields["datatype"] if name == "object"]
    image.change(other + start, "object", kind=3)
    image.datatype(2, "DUP", [], [other])
    image.datatype(3, "DUP", [], [0])
    assert broken(image, "datatype", 2) == (
        f"its component at {other:#x} is damaged: there is no datatype at {other:#x}"
    )
    assert broken(image, "datatype", 3) == "one of its components could not be recorded"


def test_a_datatype_that_contains_itself() -> None:
    image = Image()
    first = image.datatype(1, "DUP", [], [0])
    second = image.datatype(2, "DUP", [], [first])
    image.change(first, "datatype", components=image.integers([second]))
    registry = Registry(image.finish(), image.base)
    for handle in (1, 2):
        found = registry.find("datatype", handle)
        assert isinstance(found, Broken)
        assert "the datatype is recorded as a component of itself" in found.reason


def test_a_wild_name_and_wild_frames() -> None:
    image = Image()
    image.object("op", 1, site=(1, 0x30))
    image.object("op", 2, site=(1, image.integers([1 << 50])))
    reasons = [broken(image, "op", 1), broken(image, "op", 2)]
    assert reasons[0] == "cannot read 8 bytes at 0x30"
    assert reasons[1].startswith("1125899906842624 return addresses are recorded at 0x7f")


def test_an_endless_string_is_cut() -> None:
    image = Image()
    image.object("file", 1, filename=image.allocate(b"x" * 10_000))
    registry = Registry(image.finish(), image.base)
    assert registry.find("file", 1).filename == "x" * 4096


def test_chunks_in_a_circle_and_overfull() -> None:
    image = Image()
    image.object("op", 1)
    registry = Registry(image.finish(), image.base)
    chunk = image.chunks["op"] - image.base
    size = image.sizes["chunk"]
    image.bytes[chunk : chunk + size] = image.pack(
        "chunk", next=image.chunks["op"], used=1, capacity=1
    )
    registry.invalidate()
    *found, last = registry.objects("op")
    assert len(found) == 1
    assert isinstance(last, Broken)
    assert last.reason == (
        "the table of ops in the mpipp registry is damaged: it has a chunk that follows itself"
    )
    image.bytes[chunk : chunk + size] = image.pack("chunk", used=1 << 50, capacity=1)
    registry.invalidate()
    (only,) = registry.objects("op")
    assert isinstance(only, Broken)
    assert only.reason.endswith("it has a chunk with 1125899906842624 of 1 records")


def test_more_records_than_any_program_has() -> None:
    """A file of sparse memory is cheap to create, so its size must not cost mpipp much."""
    image = Image()
    image.object("op", 1)
    memory = image.finish()
    chunk = image.chunks["op"] - image.base
    head = image.pack("chunk", used=(1 << 24) + 1, capacity=1 << 30)
    image.bytes[chunk : chunk + len(head)] = head
    (only,) = Registry(memory, image.base).objects("op")
    assert isinstance(only, Broken) and only.reason.endswith("it has 16777217 records")


def test_more_processes_than_any_job_has() -> None:
    image = Image()
    many = (1 << 31) - 1
    image.object("comm", 1, size=many, world_known=1)
    image.object("comm", 2, size=1, remote_size=many)
    image.object("group", 3, size=many, world_known=1)
    reason = "2147483647 processes are recorded: mpipp knows at most 4194304"
    assert [broken(image, kind, handle) for kind, handle in (("comm", 1), ("comm", 2))] == [
        reason,
        reason,
    ]
    assert broken(image, "group", 3) == reason


def test_arrays_that_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many records refer to the same array: mpipp creates no more objects than its limit."""
    monkeypatch.setattr(record_source, "_MOST_KEPT", 1000)
    image = Image()
    integer = image.datatype(1, "NAMED", name="MPI_INT")
    numbers = [100, *range(100)]
    shared = image.integers(numbers)
    count = image.value("combiner", "INDEXED_BLOCK")
    for handle in range(2, 20):
        image.object(
            "datatype",
            handle,
            combiner=count,
            argument_count=len(numbers) + 1,
            arguments=shared,
            component_count=1,
            components=image.integers([integer]),
        )
    registry = Registry(image.finish(capacity=64), image.base)
    reasons = [one.reason for one in registry.objects("datatype") if isinstance(one, Broken)]
    assert "more than 1000 numbers are recorded: mpipp reads no more" in reasons
    registry.invalidate()
    found = registry.find("datatype", 2)
    assert not isinstance(found, Broken) or "numbers are recorded" not in found.reason


def test_tables_of_long_entries() -> None:
    image = Image()
    image.finish()
    table = image.tables["constants"]
    table.update(count=90_000, record_size=1 << 20)
    image.write_root()
    registry = Registry(image.memory(), image.base)
    with pytest.raises(MpippError, match="constants has 90000 entries of 1048576 bytes"):
        _ = registry.constants


def test_slots() -> None:
    image = Image()
    image.object("op", 5)
    memory = image.finish()
    for capacity, slots in ((3, 8), (1 << 40, 8)):
        image.tables["ops"].update(capacity=capacity, slots=slots)
        image.write_root()
        with pytest.raises(MpippError, match=f"it has {capacity} slots"):
            Registry(memory, image.base).find("op", 5)
    # A larger table is about to replace this one: objects are found without it.
    image.tables["ops"].update(capacity=1024, slots=0)
    image.write_root()
    assert Registry(memory, image.base).find("op", 5) is not None
    assert Registry(memory, image.base).find("op", 6) is None


def test_damaged_calls() -> None:
    image = Image()
    state = image.value("request_state", "active")
    call = image.pack("call", procedure=999)
    image.object("request", 1, state=state, call=call)
    image.object("request", 2, state=state, call=image.pack("call", buffer_count=77))
    image.object(
        "request", 3, state=state, call=image.call("MPI_Send", [image.pack("buffer", vector=3)])
    )
    image.object("request", 4, state=44, call=image.call("MPI_Send"))
    active = image.value("call_state", "active")
    image.thread(serial=1, depth=1, call=image.pack("call", procedure=999, state=active))
    reasons = [broken(image, "request", handle) for handle in (1, 2, 3, 4)]
    assert reasons == [
        "procedure number 999 is not in the table of procedures",
        "a call is recorded with 77 buffers",
        "a buffer is recorded with vector number 3",
        "44 is not a value of request_state",
    ]
    registry = Registry(image.memory(), image.base)
    assert len(list(registry.pending_requests())) == 4
    (thread,) = registry.threads()
    assert isinstance(thread, Broken) and thread.kind == "thread"


def test_nested_records_of_odd_sizes() -> None:
    image = Image()
    image.sizes["vector"] += 1
    call = image.call("MPI_Send", [image.pack("buffer")])
    image.object("request", 2, state=image.value("request_state", "active"), call=call)
    assert "do not fit its records of" in broken(image, "request", 2)
