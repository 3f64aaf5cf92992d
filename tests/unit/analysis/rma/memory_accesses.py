# SPDX-License-Identifier: MIT
"""Accesses to memory in small programs, and the rule that two concurrent ones break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mpipp.model import rma_events as m


class Touch(NamedTuple):
    """An access to memory, between two points in time."""

    event: m.Event
    process: int
    kind: str  # "load" "store" "reads" "writes" "get" "put" "accumulate"
    owner: int
    bytes: frozenset[int]
    begins: int
    ends: int
    window: int
    lock: str  # "", "shared" or "exclusive"
    typed: dict[int, tuple[str, int]]  # by byte: the basic datatype, and the start of its element
    op: str = ""


def brings_alone(event: m.Operation) -> bool:
    """Return whether the operation only reads at the target, so that it is complete with its
    result."""
    return event.kind == "get" or (event.result != () and event.op == "MPI_NO_OP")


def spread(memory: m.Memory) -> Iterator[int]:
    """Every byte of the memory."""
    for first, length, stride, times in memory:
        for at in range(times):
            yield from range(first + at * stride, first + at * stride + length)


def rule_of(one: Touch, other: Touch, made: m.WindowMade | None) -> str:
    """The rule that two concurrent accesses to one byte break (MPI-4.1, 12.3 and 12.7)."""
    kinds = {one.kind, other.kind}
    if kinds <= {"load", "store"}:
        return ""
    if kinds <= {"load", "reads", "get"}:
        return ""
    if kinds <= {"load", "store", "reads", "writes"}:
        return "rma-buffer" if kinds & {"load", "store"} else "rma-two-buffers"
    accumulates = [touch for touch in (one, other) if touch.kind == "accumulate"]
    if len(accumulates) == 1:
        reads = all(t.op == "MPI_NO_OP" or t.kind in ("load", "reads", "get") for t in (one, other))
        if reads:
            return ""
    if not kinds <= {"get", "put", "accumulate"}:
        return "rma-local"
    if len(accumulates) < 2:
        return "rma-target"
    assert made
    if one.op == other.op == "MPI_NO_OP":
        return ""
    if one.window != other.window:
        return "rma-accumulates"
    ops = {one.op, other.op}
    if made.accumulate_ops == "same_op_no_op":
        ops.discard("MPI_NO_OP")
    fine = len(ops) == 1 or (one.process == other.process and _in_order(one, other, made))
    elements = all(one.typed[byte] == other.typed[byte] for byte in one.bytes & other.bytes)
    return "" if fine and elements else "rma-accumulates"


def _in_order(one: Touch, other: Touch, made: m.WindowMade) -> bool:
    first, second = sorted((one, other), key=lambda touch: touch.event.moment.number)

    def does(touch: Touch) -> str:
        assert isinstance(touch.event, m.Operation)
        return "r" * (touch.event.kind != "accumulate") + "w" * (touch.op != "MPI_NO_OP")

    return all(
        f"{late}a{early}" in made.accumulate_ordering
        for late in does(second)
        for early in does(first)
    )
