# SPDX-License-Identifier: MIT
"""The facts in which collective calls must agree, with a row for each procedure and argument.

Errors with which MPI libraries hang or end the program are left out: test_error_handlers.py has
some of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

SENT = "the types sent and received do not match, at the first element: {} is sent, {} received"
TYPES = "6.2: the amount and types of data sent must equal those received"
REDUCED = "the processes reduce different types, at the first element: MPI_INT and MPI_FLOAT"
REDUCTION = "6.9: all processes must pass the same number of elements of the same type"
OPS = "the processes reduce with different operations: MPI_SUM and MPI_MAX"
OP = "6.9: the argument op must be the same in all processes"
PLACES = "not all processes pass MPI_IN_PLACE as sendbuf"
PLACE = "6.2.1: if one process passes MPI_IN_PLACE to {}, all must"
INTS = SENT.format("MPI_INT", "MPI_FLOAT")
ROOTS = "the processes pass different roots: {} and {}"
ROOT = "6.2: the argument root must be the same in all processes"
FLOATS = SENT.format("MPI_FLOAT", "MPI_INT")
OWN = "the processes reduce with different functions of the program: add and more_than"
ORDER = (
    "6.1: all processes of a communicator must call the same collective operations in the same "
    "order"
)
# Rows with warnings, and with errors of a single process.
WARNINGS = {"reduce_own", "scan_own", "iallreduce_own", "exscan_commutes"}
OF_ONE = {"bcast_missing", "inter_bcast_missing", "file_missing"}
ALIKE = "must be the same in all processes"

THEMES = {path.name for path in runs.program_source("agree").iterdir()}

# For each function of ../programs/agree/: the finding, and the rule.
ROWS = {
    "bcast_type": (INTS, TYPES),
    "gather_type": (FLOATS, TYPES),
    "gather_root": (ROOTS.format(1, 0), ROOT),
    "gatherv_type": (FLOATS, TYPES),
    "gatherv_root": (ROOTS.format(1, 0), ROOT),
    "scatter_type": (INTS, TYPES),
    "scatter_root": (ROOTS.format(0, 1), ROOT),
    "scatterv_type": (INTS, TYPES),
    "scatterv_root": (ROOTS.format(0, 1), ROOT),
    "allgather_type": (FLOATS, TYPES),
    "allgather_place": (PLACES, PLACE.format("MPI_Allgather")),
    "allgatherv_type": (INTS, TYPES),
    "allgatherv_place": (PLACES, PLACE.format("MPI_Allgatherv")),
    "alltoall_type": (INTS, TYPES),
    "alltoall_place": (PLACES, PLACE.format("MPI_Alltoall")),
    "alltoallv_type": (INTS, TYPES),
    "alltoallv_place": (PLACES, PLACE.format("MPI_Alltoallv")),
    "alltoallw_type": (INTS, TYPES),
    "alltoallw_place": (PLACES, PLACE.format("MPI_Alltoallw")),
    "reduce_type": (REDUCED, REDUCTION),
    "reduce_root": (ROOTS.format(1, 0), ROOT),
    "reduce_op": (OPS, OP),
    "allreduce_type": (REDUCED, REDUCTION),
    "allreduce_op": (OPS, OP),
    "allreduce_place": (PLACES, PLACE.format("MPI_Allreduce")),
    "reduce_scatter_type": (REDUCED, REDUCTION),
    "reduce_scatter_op": (OPS, OP),
    "reduce_scatter_place_type": (REDUCED, REDUCTION),
    "reduce_scatter_block_type": (REDUCED, REDUCTION),
    "reduce_scatter_block_place": (PLACES, PLACE.format("MPI_Reduce_scatter_block")),
    "reduce_scatter_block_place_type": (REDUCED, REDUCTION),
    "reduce_scatter_block_op": (OPS, OP),
    "scan_type": (REDUCED, REDUCTION),
    "scan_op": (OPS, OP),
    "exscan_type": (REDUCED, REDUCTION),
    "exscan_op": (OPS, OP),
    "reduce_own": (OWN, OP),
    "scan_own": (OWN, OP),
    "iallreduce_own": (OWN, OP),
    "exscan_commutes": (
        "the processes' own operations differ: only one of them is commutative",
        OP,
    ),
    "allreduce_predefined": (
        "the processes reduce with different operations: MPI_SUM and one of the program's own",
        OP,
    ),
    "bcast_missing": ("rank 1 has ended without calling MPI_Bcast", ORDER),
    "inter_bcast_missing": ("rank 1 has ended without calling MPI_Bcast", ORDER),
    "file_missing": ("rank 1 has ended without calling MPI_File_sync", ORDER),
    "ibcast_type": (INTS, TYPES),
    "bcast_c_type": (INTS, TYPES),
    "gather_c_type": (FLOATS, TYPES),
    "allgather_c_place": (PLACES, PLACE.format("MPI_Allgather")),
    "allreduce_c_op": (OPS, OP),
    "cart_dims": ("the processes pass different dims: {2, 1} and {1, 2}", f"8.5.1: dims {ALIKE}"),
    "cart_periods": (
        "the processes pass different periods: {0} and {1}",
        f"8.5.1: periods {ALIKE}",
    ),
    "cart_reorder": ("the processes pass different reorder: 0 and 1", f"8.5.1: reorder {ALIKE}"),
    "graph_edges": (
        "the processes pass different edges: {1, 0} and {0, 0}",
        f"8.5.3: edges {ALIKE}",
    ),
    "graph_index": (
        "the processes pass different index: {1, 2} and {2, 2}",
        f"8.5.3: index {ALIKE}",
    ),
    "graph_nnodes": ("the processes pass different nnodes: 2 and 1", f"8.5.3: nnodes {ALIKE}"),
    "dist_graph_weights": (
        "the processes pass different kinds of weights: MPI_UNWEIGHTED and weights",
        "8.5.4: weights must be MPI_UNWEIGHTED in all processes or in none",
    ),
    "dist_graph_reorder": (
        "the processes pass different reorder: 0 and 1",
        f"8.5.4: reorder {ALIKE}",
    ),
    "adjacent_weights": (
        "the processes pass different kinds of weights: MPI_UNWEIGHTED and weights",
        "8.5.4: weights must be MPI_UNWEIGHTED in all processes or in none",
    ),
    "adjacent_reorder": (
        "the processes pass different reorder: 0 and 1",
        f"8.5.4: reorder {ALIKE}",
    ),
    "adjacent_edges": (
        "rank 0 has 1 edge to rank 1, which has no edge from it",
        "8.5.4: each edge must be listed by its source process and by its destination process",
    ),
    "fence_assert": (
        "the processes pass different assertions: 0 and MPI_MODE_NOPRECEDE",
        "12.5.1: assert must be passed with MPI_MODE_NOPRECEDE in all processes or in none, and "
        "also with MPI_MODE_NOSUCCEED",
    ),
    "open_amode": (
        "the processes pass different amode: MPI_MODE_CREATE | MPI_MODE_RDWR and MPI_MODE_CREATE "
        "| MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN",
        f"14.2.1: amode {ALIKE}",
    ),
    "set_size": ("the processes pass different sizes: 64 and 32", f"14.2.4: size {ALIKE}"),
    "preallocate": ("the processes pass different sizes: 64 and 32", f"14.2.5: size {ALIKE}"),
    "view_etype": (
        "the processes pass different extents of etype: 4 and 8",
        "14.3: etype must be equal in extent in all processes",
    ),
    "view_datarep": (
        "the processes pass different data representations: native and NATIVE",
        f"14.3: datarep {ALIKE}",
    ),
    "atomicity": ("the processes pass different flag: 0 and 1", f"14.6.1: flag {ALIKE}"),
    "seek_shared": ("the processes pass different offsets: 8 and 4", f"14.4.4: offset {ALIKE}"),
    "neighbor_type": (INTS, TYPES),
    "neighbor_w_type": (FLOATS, TYPES),
    "neighbor_v_type": (INTS, TYPES),
    "neighbor_all_type": (INTS, TYPES),
    "neighbor_all_v_type": (INTS, TYPES),
    "neighbor_twice_type": (INTS, TYPES),
    "neighbor_twice_w_type": (INTS, TYPES),
    "create_group": (
        "the processes pass different groups",
        "7.4.2: group must be the same in all processes that are its members",
    ),
    "inter_bcast_type": (INTS, TYPES),
    "inter_bcast_root": (
        "processes of both groups pass MPI_ROOT and MPI_PROC_NULL: one group must pass a rank",
        "6.2.3: in the root's group the root must pass MPI_ROOT and the others MPI_PROC_NULL; in "
        "the other group all must pass the root's rank",
    ),
    "inter_gather_type": (FLOATS, TYPES),
    "inter_allgather_type": (FLOATS, TYPES),
    "inter_allreduce_op": (OPS, OP),
    "inter_reduce_scatter_type": (REDUCED, REDUCTION),
    "inter_reduce_scatter_block_type": (REDUCED, REDUCTION),
    "file_order": (
        "MPI_File_read_at_all and MPI_File_write_at_all are matched on one file: each process's "
        "collective call number 1 on it",
        ORDER,
    ),
    "file_all": (
        "MPI_File_read_all and MPI_File_write_all are matched on one file: each process's "
        "collective call number 1 on it",
        ORDER,
    ),
    "file_ordered": (
        "MPI_File_read_ordered and MPI_File_write_ordered are matched on one file: each process's "
        "collective call number 1 on it",
        ORDER,
    ),
    "file_split": (
        "a blocking and a split begin call of one collective operation are matched",
        "6.12: blocking, nonblocking and persistent collective operations do not match each other",
    ),
}
# Rows in which the processes may differ.
MAY_DIFFER = [
    "cart_true",
    "reduce_scatter_place",
]
GROUPS = [
    f"    passes the group {{{ranks}}} of ranks in MPI_COMM_WORLD" for ranks in ("0, 1", "1, 0")
]
# Rows in which an MPI library ends the program, hangs, or reports the error itself before the file
# is open.
HANGS = {
    "mpich4": {"cart_reorder", "open_amode", "seek_shared"},
    "openmpi4": {"dist_graph_weights", "dist_graph_reorder", "set_size", "file_missing"},
}


def found_in(block: str) -> tuple[str, str, str]:
    """The function of a finding's calls, the finding, and the rule."""
    lines = block.splitlines()
    places = re.findall(r"(?:called|made) at (\w+\.[ch]):\d+ in (\w+)", block)
    assert {file for file, _ in places} <= {"agree.c", *THEMES}, block
    functions = {function for _, function in places}
    assert len(functions) == 1, block
    name = functions.pop().replace("opened", "open_amode")
    ranks = (0,) if name in OF_ONE else (0, 1)
    assert all(f"\n  rank {rank}: MPI_" in block for rank in ranks), block
    rule = next(line for line in lines if line.startswith("  rule: "))
    severity, _, what = lines[0].partition(": ")
    assert severity == ("warning" if name in WARNINGS else "error"), block
    return name, what, rule


@pytest.mark.each_mpi  # some rows hang in one of the libraries
@on_mpi("mpich4", "openmpi4")
def test_every_row(mpi: MPI, tmp_path: Path) -> None:
    rows = [name for name in ROWS if name not in HANGS[mpi.id]]
    program = runs.program("agree.c", mpi, "-w")
    command: list[str | Path] = [program, tmp_path / "file"]
    found = runs.run(mpi, [*command, "wrong", *rows])
    # UCX also prints lines, about resources that are left.
    assert f"{len(rows)} rows" in found.output.splitlines()
    told = {name: (what, rule) for name, what, rule in map(found_in, found.blocks)}
    expected = {
        name: (ROWS[name][0], mpi.cited(f"  rule: MPI-4.1, section {ROWS[name][1]}"))
        for name in rows
    }
    assert told == expected
    assert len(found.blocks) == len(rows)
    (groups,) = (block for block in found.blocks if "different groups" in block)
    assert [line for line in groups.splitlines() if "group {" in line] == GROUPS


@on_mpi("mpich4", "openmpi4")
def test_what_agrees(mpi: MPI, tmp_path: Path) -> None:
    found = runs.run(mpi, [runs.program("agree.c", mpi, "-w"), tmp_path / "file", "right"])
    assert (found.output.endswith(" rows\n"), found.blocks) == (True, [])
    assert found.last[0].startswith("mpipp: no errors in 2 processes")


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("options", [[], ["--strict"]], ids=["watched", "strict"])
def test_what_may_differ(mpi: MPI, options: list[str], tmp_path: Path) -> None:
    """MPI_IN_PLACE in only some processes (MPI-4.1, sections 6.10.2 and 6.11), and logicals."""
    program = runs.program("agree.c", mpi, "-w")
    command: list[str | Path] = [program, tmp_path / "file", "wrong", *MAY_DIFFER]
    found = runs.run(mpi, command, *options)
    assert (found.output, found.blocks) == (f"{len(MAY_DIFFER)} rows\n", [])
    assert found.last[0].startswith("mpipp: no errors in 2 processes")


@on_mpi("mpich4", "openmpi4")
def test_logicals_are_not_compared(mpi: MPI, tmp_path: Path) -> None:
    """With --strict there are no more queries than for equal numbers."""

    def questions(*words: str) -> int:
        command: list[str | Path] = [runs.program("agree.c", mpi, "-w"), tmp_path / "file", *words]
        return runs.run_with_queries(mpi, command, "--strict")[1]

    assert questions("wrong", "cart_true") == questions("right", "cart_true")
    assert questions("wrong", "cart_periods") == questions("right", "cart_periods") + 2


BETWEEN_GROUPS = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, in[4] = {0}, out[4], counts[2] = {2, 2};
  MPI_Comm part, inter;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 0, 5, &inter);
  if (rank == 0) counts[0] = 4;
  MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, inter);
  if (rank == 2) counts[0] = 1, counts[1] = 3;
  MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, inter);
  MPI_Comm_free(&inter), MPI_Comm_free(&part);
  MPI_Finalize();
}
"""


@on_mpi("mpich4", "openmpi4")
def test_recvcounts_in_a_group_of_an_intercommunicator(mpi: MPI) -> None:
    """The other group has other counts, with the same total."""
    found = runs.run(mpi, [support.compile_program(BETWEEN_GROUPS, mpi)], n=3)
    (block,) = found.blocks
    lines = block.splitlines()
    assert lines[0] == "error: the processes pass different recvcounts: for rank 0 2 and 1"
    assert [line.partition("(")[0] for line in lines if line.startswith("  rank ")] == [
        "  rank 1: MPI_Reduce_scatter",
        "  rank 2: MPI_Reduce_scatter",
    ]
    assert "    collective call number 2" in lines
