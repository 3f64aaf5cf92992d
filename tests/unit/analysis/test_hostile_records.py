# SPDX-License-Identifier: MIT
"""Records with impossible contents: each ends in a sentence, or harmless text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mpipp.analysis.buffers.overlap import check
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import worlds
from mpipp.analysis.deadlock.analysis import explain
from mpipp.analysis.deadlock_text.report import Report
from mpipp.common.errors import AddressError, MpippError
from mpipp.common.text.sanitize import plain
from mpipp.datatypes import element_address
from mpipp.datatypes.signatures.runlength import signature
from mpipp.datatypes.values.nodes import buffer
from mpipp.model import Broken, DatatypeRecord
from mpipp.registry.ledger.decode_calls import Ledger
from mpipp.registry.registry import Registry
from mpipp.render import json_output, signature_mismatch
from mpipp.render.signature_mismatch import Entries
from mpipp.typetree import Datatype, Extents
from tests.around import Around
from tests.unit.registry.registry_image import Image
from tests.unit.samples import INT, contiguous, vector


def damaged(reported: Extents) -> Datatype:
    """A vector of integers whose record has a wrong size or wrong bounds."""
    arguments = {"count": 2, "blocklength": 2, "stride": 4}
    return Datatype("VECTOR", arguments, (INT,), reported=reported)


def test_two_calls_with_arguments_of_a_constructor_too() -> None:
    # The record claims that the calls are constructors, too.
    made = Image()
    integer = made.datatype(1, "NAMED", name="MPI_INT")
    whole = made.pack(
        "buffer",
        record=integer,
        address=0x1000,
        count=1,
        peers=1,
        access=made.value("access", "writes"),
    )
    state = made.value("request_state", "active")
    nothing = made.integers([0])
    for handle in (5, 6):
        numbers: dict[str, Any] = {"serial": handle, "frame": handle, "inputs": nothing}
        call = made.call("MPI_Irecv", [whole], present=["constructor"], **numbers)
        made.object("request", handle, call=call, state=state)
    registry = Registry(made.finish(), made.base)
    (found,) = check(Process(0, registry, Around(registry), None))
    assert found.what.text.startswith("MPI_Irecv and MPI_Irecv write the same memory")


class Somewhere:
    """Gives each call a place in the source."""

    def place(self, operation: Operation) -> str:
        return "a.c:1"

    def outside(self, process: Process) -> str:
        return "computing"


@pytest.mark.parametrize("present", [["dest", "comm"], ["tag", "source", "comm"], ["tag", "comm"]])
def test_a_call_that_hangs_and_lacks_an_argument(present: list[str]) -> None:
    made = Image()
    made.object("comm", 3, flags=["predefined"], name="MPI_COMM_WORLD", size=1, world_known=1)
    call = made.call("MPI_Send", present=present, comm=3, serial=1)
    made.thread(serial=1, tid=5, depth=1, call=call)
    registry = Registry(made.finish(), made.base)
    (world,) = worlds([Process(0, registry, Around(registry), None)])
    lines = list(Report(explain(world), Somewhere()).lines())
    assert "MPI_Send" in "\n".join(lines)


def test_bounds_that_leave_nothing_to_find() -> None:
    arguments = {"count": 2, "blocklengths": (2, 1), "displacements": (0, 4)}
    tree = Datatype("INDEXED", arguments, (INT,), reported=Extents(100, -8, 1, -(1 << 40), 100))
    with pytest.raises(AddressError, match="displacement -1: the datatype's bounds are damaged"):
        element_address.at_displacement(contiguous(2, tree), -1, 3)


def test_a_size_that_contradicts_the_components() -> None:
    tree = contiguous(2, damaged(Extents(0, 0, 24, 0, 24)))
    sent, received = Entries("a", tree, 1), Entries("b", vector(3, 2, 2, INT), 2)
    found = signature_mismatch.compare(sent, received)
    assert found.verdict == "partial"
    unchanged = list(signature_mismatch.lines(found, sent, received, cite=str))[1]
    assert unchanged.split()[:2] == ["unchanged", "from"]
    assert tree.size == signature(tree, 1).size == 32
    assert element_address.at_packed(tree, 20).displacement == 28


@pytest.mark.parametrize("size", [-1, 2000, (1 << 63) - 1])
def test_a_basic_datatype_of_impossible_size(size: int) -> None:
    made = Image()
    made.datatype(1, "NAMED", name="MPI_INT", extents=(size, 0, 4, 0, 4))
    made.datatype(2, "NAMED", name="MPI_SHORT_INT", extents=(3, 0, 8, 0, 8))
    registry = Registry(made.finish(), made.base)
    reasons = [one.reason for one in registry.objects("datatype") if isinstance(one, Broken)]
    assert sorted(reasons) == [
        f"MPI_INT is recorded with {size} bytes",
        "MPI_SHORT_INT is recorded with 3 bytes",
    ]


def test_more_entries_than_python_can_count() -> None:
    class Nothing:
        def read(self, address: int, length: int) -> bytes:
            return bytes(length)

    assert buffer(Nothing(), 0, 10**30, INT).count == 10**30


def test_an_index_of_many_digits() -> None:
    with pytest.raises(AddressError, match="an index of 5000 digits is out of range"):
        element_address.parse(f"[{'9' * 5000}]")


def test_words_of_the_library() -> None:
    made = Image()
    made.datatype(1, "NAMED", name="MPI_\x1b[31mINT\x9b", flags=["predefined"])
    made.datatype(2, "NAMED", name="MPI_INT")
    made.object("comm", 3, name="\x1b", flags=["predefined"])
    registry = Registry(made.finish(), made.base)
    found = registry.find("datatype", 1)
    assert isinstance(found, DatatypeRecord)
    assert found.header.name == found.tree.name == r"MPI_\033[31mINT\302\233"
    comm = registry.find("comm", 3)
    assert comm is not None and not isinstance(comm, Broken)
    assert comm.header.name == r"\033"


def test_plain() -> None:
    assert plain("a\n\tb\x7f\x85\xe9\u20ac\udc80") == "a\n\tb\\177\\302\\205\xe9\u20ac\\200"
    assert plain("a\n\tb\r", "") == "a\\n\\tb\\r"
    # Characters that reverse the direction of text, and surrogates that stand for no byte.
    assert plain("a\u202eb\u2066\u2028\ud800") == "a\\u202eb\\u2066\\u2028\\ud800"


def test_json_has_no_control_characters() -> None:
    document = json_output.document("list", {"name": "\x1b\x7f\x80\x9f\xa0\udc80"})
    assert r"\u001b\u007f\u0080\u009f" + "\xa0" + r"\udc80" in document
    assert json.loads(document)["name"] == "\x1b\x7f\x80\x9f\xa0\udc80"


def test_vectors_of_the_ledger_are_not_longer_than_their_call() -> None:
    nothing: Any = None
    for words in ((1 << 63,), (3 << 1, 1, 2), (2 << 1 | 1, 1, 2, 3)):
        with pytest.raises(MpippError, match="has more peers than numbers"):
            Ledger(nothing, nothing)._vectors(words, 1)
