# SPDX-License-Identifier: MIT
"""Persistent operations: overlaps among operations that one call starts, and the starting calls."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from mpipp.reports import stop_targets
from tests.support import MPI, each_handle, every_mpi, on_mpi, shell
from tests.watcher import runs
from tests.watcher.nodes.test_nodes import watched

SOURCE = runs.program_source("persistent.c").read_text().splitlines()


def line_of(text: str, function: str) -> int:
    """The line of persistent.c with this text, in the function or after it."""
    start = next(i for i, line in enumerate(SOURCE) if re.match(rf"static void {function}\(", line))
    return next(i for i, line in enumerate(SOURCE[start:], start + 1) if text in line)


def party(ranks: str, call: str, function: str, element: str, starter: str = "start") -> str:
    """A pattern for a party of a finding."""
    made, how = line_of(f"MPI_{call}", function), "MPI_Startall"
    if starter != "start":
        how = "MPI_Start"
    started = line_of(f"{how}(", starter)
    return (
        rf"  {ranks}: MPI_{call}\(.*\), request #\d+\n"
        rf"    called at persistent\.c:{made} in {function}\n"
        rf"    started by {how} at persistent\.c:{started} in {starter}\n"
        rf"    {re.escape(element)}\n"
    )


BOTH = "ranks 0 and 1"
INIT = ("Recv_init", "receive")
OVERLAPS = {
    "two": [
        (BOTH, *INIT, "writes buf[5](INT)"),
        (BOTH, *INIT, "writes buf(INT)"),
    ],
    "many": [
        (BOTH, *INIT, "writes buf[3](INT)"),
        (BOTH, *INIT, "writes buf(INT)"),
    ],
    "columns": [
        (BOTH, *INIT, "writes buf(VECTOR)[0][0](DOUBLE)"),
        (BOTH, *INIT, "writes buf(VECTOR)[0][0](DOUBLE)"),
    ],
    "later": [
        (BOTH, *INIT, "writes buf[5](INT)"),
        (BOTH, *INIT, "writes buf(INT)"),
    ],
    "sends": [
        (BOTH, "Send_init", "sends", "reads buf[9](INT)"),
        (BOTH, *INIT, "writes buf(INT)"),
    ],
}
NEW = {
    "collective": [
        ("rank 0", "Bcast_init", "collective", "reads buffer[9](INT)"),
        ("rank 0", "Allreduce_init", "collective", "writes recvbuf(INT)"),
    ],
    "partitioned": [
        (BOTH, "Psend_init", "partitioned", "reads buf(INT)"),
        (BOTH, "Precv_init", "partitioned", "writes buf[39](INT)"),
    ],
}


@each_handle
@pytest.mark.parametrize("case", OVERLAPS)
def test_overlaps_of_one_call(mpi: MPI, case: str) -> None:
    check_overlap(mpi, case, OVERLAPS[case])


# Open MPI 4 lacks persistent collective and partitioned operations.
@on_mpi("mpich4", "abi5")
@pytest.mark.parametrize("case", NEW)
def test_overlaps_of_new_operations(mpi: MPI, case: str) -> None:
    check_overlap(mpi, case, NEW[case])


def check_overlap(mpi: MPI, case: str, expected: Sequence[tuple[str, ...]]) -> None:
    found = runs.run(mpi, [runs.program("persistent.c", mpi), case])
    first, *_ = found.blocks
    parties = "".join(party(*words) for words in expected)
    headline = r"error: MPI_(\w+) and MPI_(\w+) write (and read )?the same memory, .*\n"
    assert re.match(headline + parties, first), first
    assert len(found.blocks) == (2 if case == "collective" else 1), found.blocks
    assert (found.status, found.output) == (0, "done\n")


@every_mpi
def test_what_is_right(mpi: MPI) -> None:
    cases = [*OVERLAPS, "types", "any", "lost"]
    if mpi.id != "openmpi4":  # Open MPI 4 lacks persistent collective operations
        cases.append("collective")
    if not mpi.id.startswith("openmpi"):
        # In Open MPI 5, MPI_Wait for partitioned operations sometimes never returns.
        cases.append("partitioned")
    found = runs.run(mpi, [runs.program("persistent.c", mpi), *cases, "fixed"])
    assert (found.status, found.output, found.blocks) == (0, "done\n", [])
    last = runs.only(found.last)
    assert re.fullmatch(r"mpipp: no errors in 2 processes \([\d,]+ MPI calls checked\)", last), last


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_other_threads_change_nothing(mpi: MPI) -> None:
    """The wrapper stores the boxes of operations from the start, with threads or not."""
    for case in ("two", "many", "columns"):
        words = [runs.program("persistent.c", mpi, "-pthread", "-DTHREADS"), case]
        wrong, right = runs.run(mpi, [*words]), runs.run(mpi, [*words, "fixed"])
        parties = "".join(party(*words) for words in OVERLAPS[case])
        assert re.search(parties, runs.only(wrong.blocks)), wrong.blocks
        assert right.blocks == []


MISMATCH = """\
error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_FLOAT received
  rank 0: MPI_Send_init(dest = 1, tag = 0, comm = "MPI_COMM_WORLD", buf = 4 MPI_INT)
    called at persistent.c:{sent} in {case}
    started by MPI_Startall at persistent.c:{started} in start
    sends MPI_INT: buf(INT)
  rank 1: MPI_Recv_init({source}tag = 0, comm = "MPI_COMM_WORLD", buf = 4 MPI_FLOAT)
    called at persistent.c:{received} in {made}
    started by MPI_Startall at persistent.c:{started} in start
    receives MPI_FLOAT: buf(FLOAT)
"""


def mismatch(case: str) -> str:
    """The finding for `types` and `any`."""
    made = "receive" if case == "types" else case
    return MISMATCH.format(
        case=case,
        sent=line_of("MPI_Send_init", case),
        started=line_of("MPI_Startall", "start"),
        source="source = 0, ",
        received=line_of("MPI_Recv_init", made),
        made=made,
    )


@every_mpi
@pytest.mark.parametrize("case", ["types", "any"])
def test_messages(mpi: MPI, case: str) -> None:
    found = runs.run(mpi, [runs.program("persistent.c", mpi), case])
    assert runs.only(found.blocks).startswith(mismatch(case)), found.blocks


LOST = """\
error: a message is sent and never received
  rank 0: MPI_Send_init(dest = 1, tag = 0, comm = "MPI_COMM_WORLD", buf = 4 MPI_INT)
    called at persistent.c:{made} in lost
    started by MPI_Start at persistent.c:{started} in lost
"""


@every_mpi
def test_a_lost_message(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("persistent.c", mpi), "lost"])
    made, started = line_of("MPI_Send_init", "lost"), line_of("MPI_Start(", "lost")
    assert runs.only(found.blocks).startswith(LOST.format(made=made, started=started))


@on_mpi("mpich4", "openmpi4")
def test_on_two_nodes(mpi: MPI, tmp_path: Path) -> None:
    """The files for other nodes have both places, too."""
    options = ("--report", "report")
    found = watched(mpi, tmp_path, "types", options=options, source="persistent.c")
    said = mismatch("types").replace("dest = 1", "dest = 2")
    said = said.replace("rank 0: ", "ranks 0 and 1: ").replace("rank 1: ", "ranks 2 and 3: ")
    assert runs.only(found.blocks).startswith(said), found.blocks


@on_mpi("mpich4", "openmpi4")
def test_reports(mpi: MPI, tmp_path: Path) -> None:
    report, program = tmp_path / "report", runs.program("persistent.c", mpi)
    runs.run(mpi, [program, "two"], "--report", str(report))
    made, started = line_of("MPI_Recv_init", "receive"), line_of("MPI_Startall", "start")
    (finding,) = json.loads((report / "findings.json").read_text())["findings"]
    for one in finding["parties"]:
        assert one["where"][0] == f"persistent.c:{made} in receive"
        assert one["started"]["procedure"] == "MPI_Startall"
        assert one["started"]["where"][0] == f"persistent.c:{started} in start"
        assert one["started_frames"][0]["line"] == started
    text = shell("report", report).stdout
    assert text.count(f"      {started} | MPI_Startall(count, requests);\n") == 1
    page = shell("report", report, "--format", "html").stdout
    assert page.count("started by MPI_Startall at <strong>persistent.c") == 2
    sarif = json.loads(shell("report", report, "--format", "sarif").stdout)
    (result,) = sarif["runs"][0]["results"]
    lines = [one["physicalLocation"]["region"]["startLine"] for one in result["relatedLocations"]]
    assert lines == [made, started, made, started]
    targets = [(one.procedure, one.place) for one in stop_targets.targets(f"{report}:1")]
    assert targets == 2 * [
        ("MPI_Recv_init", f"persistent.c:{made} in receive"),
        ("MPI_Startall", f"persistent.c:{started} in start"),
    ]
