# SPDX-License-Identifier: MIT
"""Valid datatypes with very many entries: repetition costs arithmetic, not memory reads."""

from __future__ import annotations

from tests import support

PROGRAM = support.program_source("gdb", "large_types.c")
STOP = ["break mark", "run", "frame function main"]


@support.on_mpi("mpich4", "openmpi4")
def test_all_in_one_place(mpi: support.MPI) -> None:
    commands = [
        "mpipp still &number",
        "mpipp MPI_INT &number 1",
        "mpipp flat &number 1000000000000",
        "mpipp letters &letter",
        "mpipp mixed pairs",
        "set print elements 0",
        "mpipp letters &letter",
        "set print elements 3",
        "set print repeats 0",
        "mpipp still &number",
        "mpipp letters &letter",
    ]
    program = support.compile_program(PROGRAM, mpi)
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=STOP, timeout=200)
    assert output.splitlines() == [
        "{{7} <repeats 2147483647 times>}",
        "7",
        "{7 <repeats 1000000000000 times>}",
        "'x' <repeats 2147483647 times>",
        "{{{2.5}, {1.5}} <repeats 2147483647 times>}",
        "'x' <repeats 2147483647 times>",
        "{{7}, {7}, {7}...}",
        '"xxx"...',
    ]


@support.on_mpi("mpich4", "openmpi4")
def test_far_apart(mpi: support.MPI) -> None:
    # A debugger is slow to report unreadable memory, so it must not be asked for each entry.
    commands = [
        "mpipp far &number",
        "python import mpipp.gdb.program.inferior_memory as m",
        "python read = m.InferiorMemory.read; asked = []",
        "python m.InferiorMemory.read = lambda *key: asked.append(key) or read(*key)",
        "mpipp far &number",
        "python print(len(asked) < 10000)",
    ]
    program = support.compile_program(PROGRAM, mpi)
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=STOP, timeout=200)
    first, again, few = output.splitlines()
    assert first == again
    address = int(first.split("<cannot read ")[1].split(">")[0], 16) - (1 << 46)
    unreadable = f"<cannot read {address + (1 << 46):#x}>"
    assert first == f"{{7, {unreadable} <repeats 2049 times>...}}"
    assert few == "True"
