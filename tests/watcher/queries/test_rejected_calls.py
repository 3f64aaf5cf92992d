# SPDX-License-Identifier: MIT
"""`--on-error` with calls that are wrong in one process: MPI never gets them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import MPI, ROOT, on_mpi
from tests.watcher import runs

# For each call of rejected_calls.c: the returned error class, and the called error handlers. NONE
# marks calls without a communicator, window or file (MPI-4.0, section 9.3, and MPI-3.1).
NONE = "none"
NO_FILE = " no file"  # calls that open files use the error handler of MPI_FILE_NULL
ROWS = {
    "negative_count": "count alone",
    "no_rank": "rank alone",
    "negative_tag": "tag alone",
    "uncommitted": "type alone",
    "operation": "op alone",
    "aliased": "buffer alone",
    "freed_comm": f"comm {NONE}",
    "predefined": "comm world",
    "constructor": f"arg {NONE}",
    "group": f"rank {NONE}",
    "overlap": "buffer alone alone alone",
    "started_overlap": "buffer alone",
    "not_persistent": "request alone",
    "completed": f"request {NONE}",
    "null_given_up": f"request {NONE} {NONE}",
    "null_window": "arg alone",
    "outside": "outside win",
    "written": "count file",
    "split": "io file",
    "no_file": "file no file",
    "one_of_two": "count both",
    "one_of_two_types": "type both",
    "many_twice": "request alone",
    "null_rank": f"comm {NONE}",
    "null_beside": "comm alone",
    "freed_size": f"type {NONE}",
    "two_groups": f"comm{7 * ' between'}{NO_FILE} between between",
    "one_group": "comm both both both",
    "warned": "success",
    "compared": "success",
    "right": "success",
}
TWO_GROUPS = """\
Scan Iexscan Cart_create Graph_create Dist_graph_create_adjacent Win_create Win_allocate File_open \
Comm_create_group Intercomm_create"""
GROUPS = [
    *(
        f"error: MPI_{name} needs an intracommunicator, but the communicator has two groups"
        for name in TWO_GROUPS.split()
    ),
    *(
        f"error: MPI_{name} needs an intercommunicator, but the communicator has one group"
        for name in ("Intercomm_merge", "Comm_remote_size", "Comm_remote_group")
    ),
]
OVERLAP = "MPI_Irecv and MPI_Irecv write the same memory, [ADDRESS, ADDRESS)"


def what(block: str) -> str:
    """The first line of a finding, without addresses."""
    return re.sub("0x[0-9a-f]+", "ADDRESS", block.split("\n")[0])


@on_mpi("mpich4", "openmpi4")
def test_error_handlers_are_called(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("rejected_calls.c", mpi)
    found = runs.run(mpi, [program, tmp_path / "file"], "--on-error", "handler")
    of_none = {"mpich4": "self", "openmpi4": "world"}[mpi.id]
    expected = {name: told.replace(NONE, of_none) for name, told in ROWS.items()}
    if mpi.id == "openmpi4":  # Open MPI ignores the handler of MPI_FILE_NULL
        expected["no_file"] = "file"
        expected["two_groups"] = expected["two_groups"].replace(NO_FILE, "")
    assert found.output == "".join(f"{name}: {s}; {s}\n" for name, s in expected.items())
    told = [what(block) for block in found.blocks]
    assert [one for one in told if not one.startswith("error: ")] == [
        "warning: the program waited for a persistent request, but never started it",
        "warning: MPI_Comm_free is called for a communicator on which an operation is pending",
    ]
    # For a communicator with two groups, each group gets its own finding, with the same first line.
    assert list(dict.fromkeys(one for one in told if " needs an int" in one)) == GROUPS
    # In ROWS, `right` has no finding, two rows belong to the calls above, and two rows
    # (null_given_up and started_overlap) have two findings.
    others = [one for one in told if " needs an int" not in one]
    assert f"error: {OVERLAP}" in others and len(others) == len(ROWS) - 3 + 2, others
    assert found.status == 0
    runs.only(found.last)


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", ["abort", "handler"])  # the communicator's handler is fatal
def test_the_job_is_ended(mpi: MPI, how: str, tmp_path: Path) -> None:
    program = runs.program("rejected_calls.c", mpi)
    command: list[str | Path] = [program, tmp_path / "file", "fatal", "overlap"]
    found = runs.run(mpi, command, "--on-error", how)
    assert (found.status, found.output) == (1, "")
    assert [what(block) for block in found.blocks] == [f"error: {OVERLAP}"]
    assert re.match(r"mpipp: 1 error in 2 processes \(", found.last[0])


# The first finding is slow, so the process waits for its answer, for twenty seconds at most.
LATE = """
import time
from mpipp.watcher.queries import error_class as wrong

error_class = wrong.error_class

def late(found):
    known = list(found)
    if known and wrong.error_class is late:
        wrong.error_class = error_class
        time.sleep(3)
    return error_class(known)

wrong.error_class = late
"""


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_watcher_that_is_at_work_is_awaited(mpi: MPI, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LATE)
    program = runs.program("rejected_calls.c", mpi)
    command: list[str | Path] = [program, tmp_path / "file", "fatal", "overlap"]
    found = runs.run(mpi, command, "--on-error", "abort", PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert (found.status, found.output) == (1, "")
    assert [what(block) for block in found.blocks] == [f"error: {OVERLAP}"]


@on_mpi("mpich4")
def test_what_is_suppressed_is_made(mpi: MPI, tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.write_text("[it is known]\ncheck = buffer-overlap\n")
    program = runs.program("rejected_calls.c", mpi)
    command: list[str | Path] = [program, tmp_path / "file", "fatal", "started_overlap"]
    found = runs.run(mpi, command, "--on-error", "abort", "--suppress", str(known))
    assert found.output == "started_overlap: success; success\n"
    assert (found.status, found.blocks) == (0, [])


@on_mpi("mpich4")
def test_what_is_not_checked_is_made(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("rejected_calls.c", mpi)
    command: list[str | Path] = [program, tmp_path / "file", "fatal", "started_overlap"]
    found = runs.run(mpi, command, "--check=arguments,collectives", "--on-error", "abort")
    assert found.output == "started_overlap: success; success\n"
    assert (found.status, found.blocks) == (0, [])
