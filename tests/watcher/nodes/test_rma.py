# SPDX-License-Identifier: MIT
"""One-sided communication on several nodes: each conflict is reported once, as on one node."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from mpipp.common.run_directory import LOGS, PROCESSES
from mpipp.common.run_directory import paths as paths_in
from mpipp.distributed import compare
from mpipp.distributed.process_file import rma_log_file
from tests import support
from tests.support import MPI, compile_program, on_mpi
from tests.unit.node_reports import of_nodes
from tests.watcher import runs
from tests.watcher.nodes.test_nodes import LAUNCHER

CONFLICTS = 11  # conflicts in conflicts.c: two of them look like others and are not shown


def on_nodes(
    mpi: MPI, cwd: Path, per_node: int, n: int, *words: str | Path, report: str = ""
) -> runs.Run:
    """Run a command in a directory, with `per_node` processes on each node."""
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), str(per_node), *mpi.mpiexec]
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    options = ["--report", report] if report else []
    command = [
        "run",
        "--check=rma-conflict,rma-epoch",
        *options,
        "--mpiexec",
        " ".join(launcher),
        "-n",
        str(n),
        "--",
    ]
    return runs.read(support.shell(*command, *words, env=known, cwd=cwd))


def told(found: runs.Run) -> list[str]:
    """Return the findings with their addresses replaced."""
    return [re.sub(r"0x[0-9a-f]{3,}", "0x...", block) for block in found.blocks]


@on_mpi("mpich4", "openmpi4")
def test_conflicts_between_nodes_are_told_as_on_one(mpi: MPI, tmp_path: Path) -> None:
    program = compile_program(support.program_source("analysis/rma", "conflicts.c"), mpi)
    one = on_nodes(mpi, tmp_path, 3, 3, program)
    assert (len(one.blocks), [line.partition(" (")[0] for line in one.last]) == (
        9,
        ["mpipp: 9 errors in 3 processes"],
    )
    for per_node in (2, 1):
        several = on_nodes(mpi, tmp_path, per_node, 3, program)
        assert (several.status, several.output) == (0, "done\n")
        assert told(several) == told(one)
        assert several.last == one.last
    right = on_nodes(mpi, tmp_path, 1, 3, program, "right")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 3 processes"]
    assert list(tmp_path.iterdir()) == []


@on_mpi("mpich4")
def test_what_orders_goes_from_node_to_node(mpi: MPI, tmp_path: Path) -> None:
    for name, count in (("orders.c", 35), ("atomic_flags.c", 5)):
        program = compile_program(support.program_source("analysis/rma", name), mpi)
        right = on_nodes(mpi, tmp_path, 1, 3, program)
        assert (right.status, right.output, right.blocks) == (0, "done\n", [])
        wrong = on_nodes(mpi, tmp_path, 1, 3, program, "wrong")
        assert [line.partition(" (")[0] for line in wrong.last] == [
            f"mpipp: {count} errors in 3 processes"
        ]
        assert told(wrong) == told(on_nodes(mpi, tmp_path, 3, 3, program, "wrong"))


@on_mpi("mpich4")
def test_the_log_of_a_process_that_is_killed_is_there(mpi: MPI, tmp_path: Path) -> None:
    program = compile_program(support.program_source("analysis/rma", "end_in_epoch.c"), mpi)
    found = on_nodes(mpi, tmp_path, 1, 2, program, "kill")
    assert found.status != 0
    [block] = found.others
    assert block.split("\n")[0] == ("error: MPI_Put and MPI_Put write the same memory: data race")


@pytest.mark.thorough
@on_mpi("mpich4")
def test_two_programs_are_compared(mpi: MPI, tmp_path: Path) -> None:
    source = support.program_source("analysis/rma", "conflicts.c")
    one, other = (compile_program(source, mpi, ("-g", level)) for level in ("-O0", "-O1"))
    found = on_nodes(mpi, tmp_path, 1, 1, one, ":", "-n", "2", other)
    assert (found.status, found.output) == (0, "done\n")
    # The same source line counts as two places, because it occurs in two programs.
    assert [line.partition(" (")[0] for line in found.last] == ["mpipp: 11 errors in 3 processes"]


@on_mpi("mpich4")
def test_where_nothing_can_be_left_each_process_is_compared_with_itself(mpi: MPI) -> None:
    # In /proc no directory can be made.
    found = on_nodes(
        mpi,
        Path("/proc"),
        1,
        3,
        compile_program(support.program_source("analysis/rma", "conflicts.c"), mpi),
    )
    assert [(block.split("\n")[0], "in broadcast_tree" in block) for block in found.blocks] == [
        (
            "error: MPI_Get and MPI_Get write the same memory: the first is not complete when the "
            "second starts",
            True,
        ),
    ]
    said = [re.sub(r"\.mpipp-\S+-\d+-[0-9a-f]+", "DIR", line) for line in found.last]
    assert sorted(line for line in said if "not checked: rank" in line) == [
        f"mpipp: not checked: rank {rank} could not write the data to compare with other nodes to "
        "/proc/DIR (No such file or directory)"
        for rank in range(3)
    ]
    assert not [line for line in said if "one-sided" in line]


@on_mpi("mpich4")
def test_of_one_process_alone_is_told_what_to_do(mpi: MPI) -> None:
    # The log of the process whose call completes the operation at its target is missing.
    found = on_nodes(
        mpi,
        Path("/proc"),
        1,
        3,
        compile_program(support.program_source("analysis/rma", "advice.c"), mpi),
    )
    to_do = {
        re.findall(r"advice\.c:\d+ in (\w+)", block)[0]: block.rpartition("to do: ")[2]
        for block in found.blocks
    }
    assert {*to_do} == {"two_buffers", "within_a_lock", "within_a_start", "from_the_stack"}
    assert to_do["within_a_start"] == (
        "complete the first before the second begins, with MPI_Win_complete and, at its target, "
        "MPI_Win_wait; or use accumulates"
    )


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report directory of a run with nine conflicts, one of them within a single
    process."""
    mpi = support.find_mpi("mpich4")
    made: Path = tmp_path_factory.mktemp("left")
    program = compile_program(support.program_source("analysis/rma", "conflicts.c"), mpi)
    found = on_nodes(mpi, made, 1, 3, program, report="report")
    assert len(found.blocks) == 9
    return made / "report"


def files(directory: Path, folder: str) -> list[Path]:
    return [Path(path) for path in paths_in(str(directory / folder))]


@pytest.mark.thorough
def test_all_that_is_left_is_compared_again(left: Path) -> None:
    found = compare.compare(str(left), told=of_nodes(left, "node0", "node1", "node2"))
    assert (len(found.findings), found.unchecked) == (CONFLICTS, [])


def test_a_log_that_is_missing_is_one_sentence(left: Path, tmp_path: Path) -> None:
    shutil.copytree(left, tmp_path / "some")
    files(tmp_path / "some", LOGS)[2].unlink()
    found = compare.compare(str(tmp_path / "some"), told=[])
    alone = ["rma-two-buffers", "rma-target"]
    assert found.unchecked == [
        "one-sided operations of two processes: mpipp has no records of rank 2"
    ]
    assert [one.rule.id for one in found.findings] == alone
    # Remove the other file of this process, too.
    files(tmp_path / "some", PROCESSES)[2].unlink()
    found = compare.compare(str(tmp_path / "some"), told=[])
    assert found.unchecked == [
        f"rank 2 has left nothing in {tmp_path / 'some'} to compare: all nodes must share this "
        "directory"
    ]
    assert [one.rule.id for one in found.findings if one.rule.id.startswith("rma")] == alone


def test_a_damaged_log_is_one_sentence(left: Path, tmp_path: Path) -> None:
    shutil.copytree(left, tmp_path / "some")
    paths = files(tmp_path / "some", LOGS)
    path, good = paths[1], paths[1].read_bytes()
    first, rest = good.split(b"\n", 1)
    known = f"mpipp has no records of rank 1; {path}"
    other = paths[0].read_bytes()
    for content, reason in (
        (b"", "is not a log of mpipp"),
        (b"[]\n", "is not a log of mpipp"),
        (
            first.replace(b'"version": %d' % rma_log_file.VERSION, b'"version": 9') + b"\n" + rest,
            "was written by another version of mpipp: use that version to compare it",
        ),
        (good[:-7], f"has {len(rest) - 7} bytes of {len(rest)}: it is not whole"),
        (other, "belongs to another process than the process file beside it"),
    ):
        path.write_bytes(content)
        found = compare.compare(str(tmp_path / "some"), told=[])
        [said] = found.unchecked
        assert said == f"one-sided operations of two processes: {known} {reason}"
    for number in range(0, len(rest), 17):
        changed = rest[:number] + bytes([rest[number] ^ 8]) + rest[number + 1 :]
        path.write_bytes(first + b"\n" + changed)
        found = compare.compare(str(tmp_path / "some"), told=[])
        for said in found.unchecked:
            assert f"{known} is damaged" in said
        if not found.unchecked:  # the changed bit has no effect on the records
            assert len(found.findings) == CONFLICTS


def test_very_many_processes_are_compared_by_their_logs(
    left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "_FEW", 1)
    found = compare.compare(str(left), told=of_nodes(left, "node0", "node1", "node2"))
    assert (len(found.findings), found.unchecked) == (CONFLICTS, [])
    monkeypatch.setattr(compare, "_MOST_LOGS", 1 << 10)
    found = compare.compare(str(left), told=[])
    assert found.findings == []
    [said] = found.unchecked
    assert said == (
        "one-sided operations: 3 logs have 0 MiB, more than 0: set MPIPP_RMA_LOG, the limit "
        "of each log, lower"
    )
