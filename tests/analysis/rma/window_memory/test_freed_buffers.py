# SPDX-License-Identifier: MIT
"""Buffers of one-sided operations in memory that is freed too early, or in time."""

from __future__ import annotations

import re

from tests.support import MPI, compile_program, every_mpi, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "freed_buffers.c")
HEADLINE = "error: the buffer of an operation ceases to exist before the operation completes"
# The operation, the freed element, and the line that frees it.
FOUND = [
    ("MPI_Put", "origin_addr(DOUBLE)", "free(data);", "put"),
    ("MPI_Get", "origin_addr(VECTOR)[0][0](DOUBLE)", "free(data);", "get_of_a_column"),
    ("MPI_Fetch_and_op", "result_addr(LONG)", "value = realloc(value, 64);", "result"),
    ("MPI_Rput", "origin_addr(DOUBLE)", "free(data);", "with_a_request"),
    ("MPI_Put", "origin_addr(DOUBLE)", "MPI_Free_mem(data);", "of_mpi"),
]


def told(block: str) -> tuple[str, ...]:
    """The first line of a finding, with the text of the source line that frees the buffer."""
    found = re.fullmatch(
        rf"{HEADLINE}\n"
        r"  rank 0: (MPI_\w+)\(target_rank = 1, .*\n"
        r"    called at freed_buffers\.c:\d+ in (\w+)\n"
        r"  rank 0: frees the memory at 0x[0-9a-f]+, which contains (\S+)\n"
        r"    at freed_buffers\.c:(\d+) in (\w+)\n"
        r"  rule: MPI-.*, section [\d.]+: the buffer of a one-sided operation must exist .*\n"
        r"  to do: complete the operation first, with (MPI_Wait, )?MPI_Win_flush_local .*",
        block,
    )
    assert found, block
    operation, function, element, line, place, waits = found.groups()
    assert (function, bool(waits)) == (place, operation == "MPI_Rput")
    return operation, element, SOURCE.read_text().splitlines()[int(line) - 1].strip(), place


OF_WINDOWS = program_source("analysis/rma", "freed_windows.c")
LENT = """\
error: memory of a window ceases to exist before the window is freed
  {ranks}: {call}
    called at freed_windows.c:{made} in {function}
  {ranks}: frees the memory at ADDRESS, which contains byte 0 of {memory}
    at freed_windows.c:{gone} in {function}
  rule: MPI-4.1, section 12.2.5: memory of a window must exist until MPI_Win_free returns, or \
MPI_Win_detach for attached memory: until then other processes may access it
  to do: call MPI_Win_free or MPI_Win_detach before the memory is freed or its function returns"""
FOUND_LENT = [
    ("rank 1", "MPI_Win_create(base = ADDRESS, size = 128)", "created", 20, 24, "the window"),
    ("ranks 0 and 1", "MPI_Win_create(base = ADDRESS, size = 512)", "moved", 33, 35, "the window"),
    (
        "ranks 0 and 1",
        "MPI_Win_attach(base = ADDRESS, size = 512)",
        "attached",
        45,
        50,
        "the attached memory",
    ),
]


@on_mpi("mpich4", "openmpi4")
def test_memory_of_windows_that_is_given_back_too_early_is_told(mpi: MPI) -> None:
    program = compile_program(OF_WINDOWS, mpi)
    wrong = runs.run(mpi, [program], "--check=rma")
    assert (wrong.status, wrong.output) == (0, "done\n")
    blocks = [re.sub("0x[0-9a-f]+", "ADDRESS", block) for block in wrong.blocks]
    assert [re.sub("\n  shown as in rank .", "", block) for block in blocks] == [
        mpi.cited(
            LENT.format(ranks=ranks, call=call, function=of, made=made, gone=gone, memory=memory)
        )
        for ranks, call, of, made, gone, memory in FOUND_LENT
    ]
    right = runs.run(mpi, [program, "right"], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 2 processes"]


@on_mpi("mpich4", "openmpi4")
def test_each_buffer_that_is_given_back_too_early_is_told(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    wrong = runs.run(mpi, [program], "--check=rma")
    assert (wrong.status, wrong.output) == (0, "done\n")
    assert [told(block) for block in wrong.blocks] == FOUND
    right = runs.run(mpi, [program, "right"], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 2 processes"]


@every_mpi
def test_a_window_on_the_stack_of_a_function_that_has_returned_is_told(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "stack_windows.c"), mpi)
    wrong = runs.run(mpi, [program], "--check=rma")
    assert (wrong.status, wrong.output) == (0, "done\n")
    told = [block for block in wrong.blocks if "memory of a window ceases" in block]
    calls = [re.findall(r"  ranks 0 and 1: MPI_(\w+)\(.*\n.* in (\w+)", block) for block in told]
    assert calls == [
        [("Win_create", "create"), ("Win_fence", "fenced")],
        [("Win_create", "create"), ("Win_free", "freed")],
        [("Win_attach", "attach_own"), ("Win_free", "detached")],
    ]
    assert all("\n    the function with this memory on its stack" in block for block in told)
    right = runs.run(mpi, [program, "right"], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
