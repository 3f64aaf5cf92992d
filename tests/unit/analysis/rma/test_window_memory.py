# SPDX-License-Identifier: MIT
"""The memory of windows and buffers: too short a life, exposed twice, not attached."""

from __future__ import annotations

from typing import Any

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.model.rma_events import (
    Attached,
    Comb,
    Completed,
    MemoryFreed,
    Operation,
    Synchronization,
)
from tests.unit.analysis.rma.event_programs import (
    BASE,
    BUFFERS,
    LENGTH,
    WINDOW,
    Program,
    at,
    buffer,
    found,
)


def test_buffers_of_functions_that_have_returned_are_gone() -> None:
    for operation, end, expected in (
        (BUFFERS - 64, BUFFERS + 0x200, ["rma-gone: put"]),
        (BUFFERS - 64, BUFFERS + 0x102, []),  # the buffer's function has not returned
        (BUFFERS + 0x200, BUFFERS + 0x300, []),  # the buffer was never on this stack
        (0, BUFFERS + 0x200, []),
        (BUFFERS - 64, 0, []),
    ):
        program = Program(2)
        program.sync("lock_all")
        put = program[0].put(1, at(0), buffer(1))
        assert isinstance(put, Operation)
        program[0].events[-1] = put._replace(frame=operation)
        flush = program[0].sync("flush", 1)
        assert isinstance(flush, Synchronization)
        program[0].events[-1] = flush._replace(frame=end)
        program.sync("unlock_all")
        program.end()
        assert found(program) == expected
        requested = Program(2)
        requested.sync("lock_all")
        requested[0].events.append(put._replace(request=7, frame=operation))
        requested[0].does(Completed(flush.moment, (7,), end))
        requested.sync("unlock_all")
        assert found(requested) == expected


@pytest.mark.parametrize(
    ("made", "later", "thread", "is_gone"),
    [
        (BASE - 64, BASE + LENGTH, 0, True),
        (BASE - 64, BASE + 1, 0, True),
        (BASE - 64, BASE, 0, False),  # the buffer's function has not returned
        (BASE + 1, BASE + LENGTH, 0, False),  # the buffer was never on this stack
        (BASE - 64, BASE + LENGTH, 1, False),  # the buffer is on the stack of another thread
        (0, BASE + LENGTH, 0, False),
        (BASE - 64, 0, 0, False),
    ],
)
@pytest.mark.parametrize("event", ["fence", "free", "end", "detach"])
def test_windows_of_functions_that_have_returned_are_gone(
    event: str, made: int, later: int, thread: int, is_gone: bool
) -> None:
    is_attached = event == "detach"
    program = Program(2, **({"flavor": "dynamic"} if is_attached else {"frame": made}))
    one = program[0]
    if is_attached:
        one.does(Attached(one.moment("MPI_Win_attach"), WINDOW, BASE, LENGTH, True, made))
        one.does(Attached(one.moment("MPI_Win_detach"), WINDOW, BASE, 0, False))
    elif event == "fence":
        program.sync("fence")
    elif event == "free":
        program.free(WINDOW)
    else:
        program.end()
    last: Any = one.events[-1]
    one.events[-1] = last._replace(frame=later, moment=last.moment._replace(thread=thread))
    program.end()
    kind = "MPI_Win_attach" if is_attached else "MPI_Win_create"
    assert found(program) == [f"rma-window-gone: {kind}"] * is_gone


def test_memory_of_targets_is_not_on_the_stack_of_the_origin() -> None:
    # The target's memory may have the same addresses as the origin's stack.
    program = Program(2)
    program.sync("lock_all")
    get = program[0].get(1, at(64))
    assert isinstance(get, Operation)
    program[0].events[-1] = get._replace(frame=BASE)
    flush = program[0].sync("flush", 1)
    assert isinstance(flush, Synchronization)
    program[0].events[-1] = flush._replace(frame=BASE + 256)
    program.sync("unlock_all")
    assert found(program) == []


@pytest.mark.parametrize("kind", ["put", "get", "fetch_and_op"])
@pytest.mark.parametrize("end", ["", "flush_local", "unlock_all", "wait"])
def test_memory_that_is_given_back_must_not_be_a_pending_buffer(kind: str, end: str) -> None:
    """No report if the freed memory has no byte of a pending buffer, or if the operation is
    complete."""
    program = Program(2)
    program.sync("lock_all")
    request = 5 if end == "wait" else 0
    columns = (Comb(BUFFERS + 0x100, 4, 0x100, 3),)
    program[0].operation(kind, 1, at(0, 12), columns, request=request)

    def gives_back(start: int, length: int) -> None:
        low = BUFFERS + start
        program[0].does(MemoryFreed(program[0].moment(""), low, low + length))

    gives_back(0x104, 0xFC)  # between two columns
    gives_back(0x304, 0x1000)
    if end == "wait":
        program[0].does(Completed(program[0].moment("wait"), (request,)))
    elif end:
        program[0].sync(end, 1 if end == "flush_local" else -1)
    gives_back(0x1F0, 0x40)
    if end != "unlock_all":
        program[0].sync("unlock_all")
    gives_back(0x100, 0x204)
    program[1].sync("unlock_all")
    program.end()
    result = analyse(program.events())
    assert result.conflicts == []
    found = [
        (one.rule, one.event.moment.procedure, one.other.met)
        for one in result.mistakes
        if isinstance(one.other, MemoryFreed)
    ]
    assert len(found) == len(result.mistakes)
    assert found == ([] if end else [("rma-gone", kind, BUFFERS + 0x200)])


@pytest.mark.parametrize("uses", [(), (0,), (1,), (2,)])
@pytest.mark.parametrize("target", [0, 1])
def test_memory_is_not_exposed_twice(uses: tuple[int, ...], target: int) -> None:
    """MPI_Win_post within a fence epoch is an error if any process uses that epoch."""
    program = Program(3)
    program.sync("fence")
    for origin in uses:
        program[origin].put(target, at(8 * origin))
    program[0].sync("post", -1, (2,))
    program[2].sync("start", -1, (0,))
    program[2].sync("complete")
    program[0].sync("wait")
    program.sync("fence", "MPI_MODE_NOSUCCEED")
    told = ["rma-nested: start"] if uses == (2,) else ["rma-nested: post"] * (target == 0)
    assert found(program) == (told if uses else [])


def attaches(program: Program, first: int, length: int, attached: bool = True) -> None:
    moment = program[1].moment("MPI_Win_attach")
    program[1].does(Attached(moment, 1, BASE + first, length * attached, attached))


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ("attach order put", False),
        ("attach put", False),  # the attach may have come in time
        ("put order attach", True),  # the attach is too late
        ("put", True),
        ("attach order detach put", False),
        ("attach order detach order put", True),
        ("attach order detach attach order put", False),
        ("attach order detach order put attach", False),
        ("attach order put order detach", False),
        ("half order put", True),
        ("half rest order put", False),
        ("half order columns", False),  # the columns lie beside the gap
        ("attach self detach", False),
        ("attach detach self", True),
        ("self attach", True),
    ],
)
def test_memory_of_dynamic_windows_is_attached(steps: str, wrong: bool) -> None:
    program = Program(2, flavor="dynamic")
    program.sync("lock_all")
    for step in steps.split():
        if step == "order":
            program.barrier()
        elif step in ("attach", "detach"):
            attaches(program, 0, 64, step == "attach")
        elif step in ("half", "rest"):
            attaches(program, 32 * (step == "rest"), 32)
        elif step == "self":
            program[1].put(1, at(0, 64))
            program[1].sync("flush", 1)
        else:
            program[0].put(1, at(0, 64) if step == "put" else at(0, 4, 8, 4))
            program[0].sync("flush", 1)
    program.sync("unlock_all")
    for cut in (False, True):
        if not cut:
            program.end()
        events = program.events()
        if cut:
            events[1] = events[1][:-1]  # the lost rest of the log may attach the memory
        found = [one.rule for one in analyse(events).mistakes]
        assert found == (["rma-detached"] if wrong and not cut else []), cut
