# SPDX-License-Identifier: MIT
"""Programs that use the same means as the guard: a handler of SIGSEGV, and alternate stacks."""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", ["signal", "action"])
def test_a_handler_that_is_set_while_a_buffer_is_guarded_comes_behind(mpi: MPI, how: str) -> None:
    program = runs.program("handlers.c", mpi)
    right = runs.run(mpi, [program, "right", how], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    run = runs.run(mpi, [program, "wrong", how], "--check=buffers")
    assert (run.status, run.output) == (0, "done\n")
    (block,) = run.blocks
    assert block.startswith("error: a store to the buffer of a pending MPI_Issend\n")


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("where", ["malloc", "static"])
def test_no_page_of_a_coroutines_stack_is_forbidden(mpi: MPI, where: str) -> None:
    program = runs.program("coroutine.c", mpi)
    right = runs.run(mpi, [program, "right", where], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    run = runs.run(mpi, [program, "wrong", where], "--check=buffers")
    assert (run.status, run.output) == (0, "done\n")
    (block,) = run.blocks
    assert block.startswith("error: the buffer of a pending MPI_Issend was changed\n")


@on_mpi("mpich4", "openmpi4")
def test_memory_that_the_program_protects_stays_so(mpi: MPI) -> None:
    program = runs.program("protected.c", mpi)
    assert mpi.run([program], n=1, preload=False).stdout == "handled 7\n"
    run = runs.run(mpi, [program], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "handled 7\n", [])


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_memory_that_another_thread_fills_is_left_to_it(mpi: MPI) -> None:
    program = runs.program("registered.c", mpi, "-pthread")
    alone = mpi.run([program], n=1, preload=False).stdout
    if alone == "not allowed\n":
        pytest.skip("the system has no userfaultfd for this user")
    run = runs.run(mpi, [program], "--check=buffers", n=1)
    assert (alone, run.status, run.output, run.blocks) == ("7 7\n", 0, "7 7\n", [])


@contextmanager
def _stack_limit(soft: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_STACK)
    if before[1] not in (resource.RLIM_INFINITY, soft):
        pytest.skip("stacks cannot be unlimited here")
    resource.setrlimit(resource.RLIMIT_STACK, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, before)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("where", ["heap", "frame", "thread"])
def test_a_call_from_another_coroutine_does_not_come_from_further_out(mpi: MPI, where: str) -> None:
    program = runs.program("own_stacks.c", mpi, "-pthread")
    with _stack_limit(resource.RLIM_INFINITY):
        right = runs.run(mpi, [program, where], "--check=buffers", n=1)
    assert (right.status, right.output, right.blocks) == (0, "1 100\n", [])


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("who", ["gone", "thread_gone"])
def test_a_buffer_of_a_function_that_has_returned_is_gone(mpi: MPI, who: str) -> None:
    program = runs.program("own_stacks.c", mpi, "-pthread")
    with _stack_limit(resource.RLIM_INFINITY):
        (block,) = runs.run(mpi, [program, who], "--check=buffers", n=1).blocks
    assert block.startswith(
        "error: the stack frame with the buffer of a pending MPI_Irecv has ended\n"
    )


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(
    ("how", "output"),
    [("wiped", "0\n"), ("dropped", "0, sent 14\n"), ("dropped_by_number", "0, sent 14\n")],
)
def test_the_system_does_with_pages_as_it_is_told(mpi: MPI, how: str, output: str) -> None:
    program = runs.program("advised.c", mpi)
    assert mpi.run([program, how], n=1, preload=False).stdout == output
    run = runs.run(mpi, [program, how], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, output, [])


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(("how", "output"), [("opens", "xx 1\n"), ("leaves", "1\n")])
def test_the_programs_handler_hears_of_what_is_received(mpi: MPI, how: str, output: str) -> None:
    run = runs.run(mpi, [runs.program("delivered.c", mpi), how], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, output, [])


@on_mpi("mpich4", "openmpi4")
def test_a_jump_into_a_buffer_is_the_programs(mpi: MPI) -> None:
    """The guard does not open the page for it again and again."""
    run = runs.run(mpi, [runs.program("executed.c", mpi)], "--check=buffers", n=1)
    assert run.output == "not allowed\n"


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_thread_that_comes_while_pages_are_opened_goes_on(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("page_opening.c", mpi, "-pthread")], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "done\n")


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", ["lock", "again"])
def test_a_signal_may_come_at_any_time(mpi: MPI, how: str, tmp_path: Path) -> None:
    """In the signal handler, compiled code needs the guard's lock, which the interrupted code may
    hold."""
    program = runs.compiled(runs.program_source("interrupted.c"), mpi, tmp_path)
    done = runs.said(mpi, [program, how], "--check=buffers", n=1)
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert "read: " not in done.stderr


@on_mpi("mpich4")
def test_what_is_received_is_there_before_a_message_tells_of_it(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("completion_message.c", mpi, "-pthread")], "--check=buffers")
    assert (run.status, run.output, run.blocks) == (0, "20000 right\n", [])


# With AVX-512 a signal's frame is larger, so no handler fits after it there.
LARGEST_FRAME = 2100


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("thread", [[], ["thread"]], ids=["first", "thread"])
@pytest.mark.parametrize("size", [0, 4096, 8192, 65536])
def test_an_alternate_stack(mpi: MPI, size: int, thread: list[str]) -> None:
    """The guard writes nothing below the stack. If it is too small, the callers are unknown."""
    program = runs.program("small_stack.c", mpi, "-pthread")
    run = runs.run(mpi, [program, str(size), *thread], "--check=buffers", n=1)
    said = re.fullmatch(r"(\d+) bytes below, least (\d+)\n", run.output)
    assert said and run.status == 0, run
    if size == 4096 and int(said[2]) > LARGEST_FRAME:
        pytest.skip("a signal's frame is nearly as large as that stack")
    assert said[1] == "0"
    assert ", at 0x" in run.blocks[0] and "\n    at small_stack.c:" in run.blocks[0]
    walked = "\n    from small_stack.c:" in run.blocks[0]
    if size or not thread:  # this thread's stack may be large enough to find the callers, or not
        assert walked == (size != 4096), run.blocks
