# SPDX-License-Identifier: MIT
"""`--strict --on-error handler`: mpipp calls the error handlers of communicators, windows and
files.

Each process's handler is called in place of a collective call with which MPI libraries would hang
or crash.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import MPI, on_mpi
from tests.watcher import runs

ROOTS = "the processes pass different roots: 0 and 1"
PLAIN = "MPI_MODE_CREATE | MPI_MODE_RDWR"

# For each function of first_calls.c: the error class in all processes, and the mismatch.
ROWS = {
    "comm_dup": ("other", "Comm_dup Barrier communicator"),
    "comm_free": ("other", "Comm_free Barrier communicator"),
    "comm_disconnect": ("other", "Comm_disconnect Barrier communicator"),
    "comm_split": ("other", "Comm_split Comm_dup communicator"),
    "comm_split_type": ("arg", "the processes pass different split_type: MPI_COMM_TYPE_SHARED and"),
    "comm_create": ("arg", "the processes pass different groups"),
    "comm_set_info": ("other", "Comm_set_info Barrier communicator"),
    "cart_sub": ("other", "Cart_sub Barrier communicator"),
    "intercomm_leader": ("arg", "the processes pass different local leaders: 0 and 1"),
    "dist_graph": ("other", "Dist_graph_create Dist_graph_create_adjacent communicator"),
    "merge_high": ("arg", "the processes pass different high: 1 and 0"),
    "spawn_root": ("root", ROOTS),
    "spawn_multiple_root": ("root", ROOTS),
    "accept_root": ("root", ROOTS),
    "connect_root": ("root", ROOTS),
    "win_create": ("other", "Win_create Win_create_dynamic communicator"),
    "win_create_dynamic": ("other", "Win_create_dynamic Barrier communicator"),
    "win_allocate": ("other", "Win_allocate Win_create communicator"),
    "win_allocate_shared": ("other", "Win_allocate_shared Win_allocate communicator"),
    "win_set_info": ("other", "Win_set_info Win_fence window"),
    "win_fence": ("arg", "the processes pass different assertions: 0 and MPI_MODE_NOSUCCEED"),
    "win_free": ("other", "Win_free Win_fence window"),
    "open_amode": (
        "arg",
        f"the processes pass different amode: {PLAIN} and {PLAIN} | MPI_MODE_UNIQUE_OPEN",
    ),
    "file_close": ("other", "File_close File_sync file"),
    "file_set_info": ("other", "File_set_info File_sync file"),
    "file_sync": ("other", "File_sync File_set_size file"),
    "file_seek": ("arg", "the processes pass different whence: MPI_SEEK_SET and MPI_SEEK_END"),
    "file_write_all": ("other", "File_write_all File_sync file"),
    "file_write_at_all": ("other", "File_write_at_all File_write_all file"),
    "file_write_ordered": ("other", "File_write_ordered File_write_all file"),
}
MEET = re.compile(r"MPI_(\S+) and MPI_(\S+) are matched on one (\w+)")
GROUPS = [
    "passes the group {0, 1} of ranks in MPI_COMM_WORLD",
    "passes the group {1, 0} of ranks in MPI_COMM_WORLD",
]


def what(block: str) -> tuple[str, str]:
    """The function of a finding's calls, and the finding."""
    (name,) = set(re.findall(r"called at first_calls\.c:\d+ in (\w+)", block))
    first = block.split("\n")[0].removeprefix("error: ")
    meet = MEET.match(first)
    return name, " ".join(meet.groups()) if meet else re.sub(r"(?<=SHARED and) \d+$", "", first)


@on_mpi("mpich4", "openmpi4")
def test_every_row(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("first_calls.c", mpi)
    options = ("--check=collectives", "--strict", "--on-error", "handler")
    found = runs.run(mpi, [program, tmp_path / "file"], *options, n=3)
    classes = {name: class_ for name, (class_, _) in ROWS.items()}
    if mpi.id == "openmpi4":  # Open MPI ignores the handler of MPI_FILE_NULL
        classes["open_amode"] = "not called"
    assert found.output == "".join(f"{name}: {c}, {c}, {c}\n" for name, c in classes.items())
    expected = {name: text for name, (_, text) in ROWS.items()}
    assert dict(map(what, found.blocks)) == expected
    assert len(found.blocks) == len(ROWS)
    (groups,) = (block for block in found.blocks if "different groups" in block)
    assert re.findall(r"passes the group .*", groups) == GROUPS
    named = re.findall(r"MPI_(Win_free|File_close)\((\w+) = ", "".join(found.blocks))
    assert set(named) == {("Win_free", "win"), ("File_close", "file")}
    assert found.status == 0
