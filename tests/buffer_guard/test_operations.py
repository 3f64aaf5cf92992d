# SPDX-License-Identifier: MIT
"""All kinds of operations are guarded: errors are reported, and correct results do not change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.short import some
from tests.support import MPI, on_mpi
from tests.watcher import runs

# In the program's comments: the error in a line, and the operation with the buffer.
_PLANTED = re.compile(r"(?:// |\n\s+// )(store|load|change) (\S+(?: of \w+ \d)?) (MPI_\w+)$")
_SECTIONS = {
    "MPI_Ibsend": "3.7.2",
    "MPI_Send_init": "3.9",
    "MPI_Psend_init": "4.2",
    "MPI_Ibcast": "6.12",
    "MPI_Allreduce_init": "6.13",
    "MPI_Ineighbor_allgather": "8.7",
    "MPI_Put": "12.3",
    "MPI_Rget": "12.3",
    "MPI_File_iread_at": "14.4.1",
}
_VERBS = {"stores to": "store", "loads": "load"}


def planted(source: Path, until: str) -> list[tuple[str, str, str, int]]:
    """The planted errors: verb, element, procedure and line."""
    found = []
    for number, line in enumerate(source.read_text().split(until)[0].splitlines(), 1):
        wrong = _PLANTED.search(line)
        if wrong:
            found.append((wrong[1], wrong[2], wrong[3], number))
    return found


def told(block: str) -> tuple[str, str, str, int]:
    """The error in a report, in the form of `planted`."""
    lines = block.splitlines()
    operation = re.search(r"\n  rank 0: (MPI_\w+)\(", block)
    assert operation, block
    change = re.search(
        r"\n    (\S+), at 0x\w+, in \S+, was .*\n    mpipp does not know .*\n.*\n"
        r"    called at kinds\.c:(\d+) in \w+\n    it was changed between these calls\n",
        block,
    )
    if change:  # the call in the next line detects the change
        return "change", change[1], operation[1], int(change[2]) - 1
    access = re.fullmatch(r"  rank 0: (stores to|loads) (.*), at 0x[0-9a-f]+(, in .*)?", lines[1])
    functions = (line for line in lines[3:] if " in again" not in line)
    caller = re.fullmatch(r"    from (?:guarded|kinds)\.c:(\d+) in \w+", next(functions))
    assert access and caller, block
    return _VERBS[access[1]], access[2], operation[1], int(caller[1])


@on_mpi("mpich4", "openmpi4")
def test_operations_of_each_kind_are_guarded(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("guarded.c", mpi)
    right = runs.run(mpi, [program, tmp_path], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    run = runs.run(mpi, [program, tmp_path, "wrong"], "--check=buffers")
    assert (run.status, run.output) == (0, "done\n")
    until = "\0" if mpi.standard >= (4, 0) else "#if MPI_VERSION"
    expected = planted(runs.program_source("guarded.c"), until)
    assert len(expected) > 20
    found = [told(block) for block in run.blocks]
    assert sorted(found) == sorted(expected)
    for (_, _, procedure, _), block in zip(found, run.blocks):
        section = mpi.cited(f"rule: MPI-4.1, section {_SECTIONS.get(procedure, '3.7.2')}: ")
        assert procedure not in _SECTIONS or section in block
        call = "MPI_Win_flush" if procedure == "MPI_Put" else "MPI_Wait"
        advice = f"complete the operation first, for example with {call}"
        assert procedure not in _SECTIONS or advice in block


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_operations_of_other_kinds_are_guarded(mpi: MPI) -> None:
    """Persistent operations complete as usual, with or without earlier tests."""
    program = runs.program("kinds.c", mpi)
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    run = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert (run.status, run.output) == (0, "done\n")
    until = "\0" if mpi.standard >= (4, 0) else "#if MPI_VERSION"
    expected = planted(runs.program_source("kinds.c"), until)
    assert len(expected) > 9
    assert sorted(map(told, run.blocks)) == sorted(expected)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_random_operations_bring_what_they_bring_without(mpi: MPI) -> None:
    program = runs.program("guarded_random.c", mpi, "-pthread")
    for words in (("1", str(some(120))), ("7", str(some(50)), "threads")):
        alone = mpi.run([program, *words], n=3, preload=False).stdout
        run = runs.run(mpi, [program, *words], "--check=buffers", n=3)
        assert (run.status, run.output, run.blocks) == (0, alone, [])
        assert alone and "lost" not in alone


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi5")
def test_partitions_without_pages_are_compared_from_when_they_are_ready(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("partitions.c", mpi)], "--check=buffers")
    assert (run.status, run.output) == (0, "done\n")
    change = re.compile(
        r"\n    started by MPI_Start at partitions\.c:17 in sends"
        r"\n    (buf\S+), at 0x[0-9a-f]+, in data\S*, (.*)\n    mpipp does not know .*\n"
        r"  rank 0: MPI_Wait.*\n.* in (\w+)\n"
    )
    found = [one for block in run.blocks for one in change.findall(block)]
    assert found == [
        ("buf[15](DOUBLE)", "was 15 and is 4", "small"),
        ("buf[699](DOUBLE)", "was 699 and is 6", "beside_pages"),
        ("buf[3](RESIZED)[0](VECTOR)[1][0](DOUBLE)", "was 250 and is 8", "columns"),
    ]
    headline = "error: the buffer of a pending MPI_Psend_init was changed"
    *changed, gone = run.blocks
    assert all(block.startswith(headline) for block in changed)
    assert gone.startswith(
        "error: the stack frame with the buffer of a pending MPI_Psend_init has ended"
    )
    assert re.search(
        r"\n    called at partitions\.c:\d+ in posts\n"
        r"    started by MPI_Start at partitions\.c:\d+ in posts\n.* has returned\n"
        r"  rank 0: MPI_Wait\(\)\n.* in gone\n",
        gone,
    )
    if mpi.id == "mpich4":
        run = runs.run(mpi, [runs.program("partitions.c", mpi), "never"], "--check=buffers")
        (block,) = run.others
        assert re.search(
            r"buf\[3\]\(DOUBLE\), at 0x[0-9a-f]+, in out\+24, was 0 and is 9\n"
            r"    mpipp does not know .*\n    it was not completed before MPI_Abort\n",
            block,
        )
