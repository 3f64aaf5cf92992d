# SPDX-License-Identifier: MIT
"""Which procedures are collective, and what must agree between the processes that call them.

Each rule is the standard's own; what it leaves open stands in no row (MPI-4.1, chapter 6 for
communication, 7 and 8 for communicators, 11 for processes, 12 for windows, 14 for files).
"""

from __future__ import annotations

from typing import NamedTuple

# Over what a procedure is collective: the communicator, window or file that it is given; the
# members of its argument `group`; both groups of the intercommunicator that it makes.
SCOPES = ("", "comm", "group", "groups", "win", "file")

# How the type signatures of the buffers must agree.
#   equal       all of them, at all processes (6.4, 6.5.1, 6.6.1, 6.7.1, 6.8.1, 6.9)
#   vector      all processes have the same one for each process, as MPI_Allgatherv (6.7.2, 6.10.2)
#   pairs       what one sends to another with what that receives from it (6.5.2, 6.6.2, 6.8.2)
#   neighbors   the same, along each edge of the topology (8.6)
SIGNATURES = ("", "equal", "vector", "pairs", "neighbors")

# Arguments that must agree, in the order of their bits in C, and how; a name that is given twice
# is followed by a colon.
#   equal       the same value at all processes
#   root        the same rank; on intercommunicators as section 6.2.3 says
#   predefined  the same predefined operation; MPI compares none of the program's own (6.9.1)
#   members     the same group at all its members; the groups of others may differ (7.4.2)
#   side        the same value in each of the two groups (7.6.2)
#   leaders     the same value at the two leaders, who find each other by it (7.6.2)
#   defined     the same value, but for MPI_UNDEFINED (7.4.2)
#   weights     MPI_UNWEIGHTED at all processes or none (8.5.4)
#   extent      datatypes of the same extent (14.3)
#   bits        MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED, each at all processes or none (12.5.5)
ARGUMENTS = {
    "root": "root",
    "op": "predefined",
    "group": "members",
    "tag": "equal",
    "stringtag": "equal",
    "local_group": "side",
    "local_leader": "side",
    "tag:leaders": "leaders",
    "high": "side",
    "split_type": "defined",
    "ndims": "equal",
    "dims": "equal",
    "periods": "equal",
    "nnodes": "equal",
    "index": "equal",
    "edges": "equal",
    "reorder": "equal",
    "weights": "weights",
    "assert": "bits",
    "amode": "equal",
    "datarep": "equal",
    "etype": "extent",
    "size": "equal",
    "offset": "equal",
    "whence": "equal",
    "flag": "equal",
}

# Where MPI_IN_PLACE may stand: at the root only, at all processes if at one, or at any.
PLACES = ("", "root", "all", "any")


class Agreement(NamedTuple):
    """What is collective about an operation."""

    over: str = ""
    signatures: str = ""
    arguments: tuple[str, ...] = ()


# Operation, over what it is collective, signatures (- for none), arguments.
_COLLECTIVE = """
Barrier                     comm    -
Bcast                       comm    equal      root
Gather                      comm    equal      root
Gatherv                     comm    pairs      root
Scatter                     comm    equal      root
Scatterv                    comm    pairs      root
Allgather                   comm    equal
Allgatherv                  comm    vector
Alltoall                    comm    equal
Alltoallv                   comm    pairs
Alltoallw                   comm    pairs
Reduce                      comm    equal      root op
Allreduce                   comm    equal      op
Reduce_scatter_block        comm    equal      op
Reduce_scatter              comm    vector     op
Scan                        comm    equal      op
Exscan                      comm    equal      op
Neighbor_allgather          comm    neighbors
Neighbor_allgatherv         comm    neighbors
Neighbor_alltoall           comm    neighbors
Neighbor_alltoallv          comm    neighbors
Neighbor_alltoallw          comm    neighbors
Comm_dup                    comm    -
Comm_create                 comm    -          group
Comm_create_group           group   -          group tag
Comm_create_from_group      group   -          group stringtag
Comm_split                  comm    -
Comm_split_type             comm    -          split_type
Comm_set_info               comm    -
Comm_free                   comm    -
Comm_disconnect             comm    -
Intercomm_create            groups  -          local_leader tag:leaders
Intercomm_create_from_groups groups -          local_group local_leader stringtag
Intercomm_merge             comm    -          high
Cart_create                 comm    -          ndims dims periods reorder
Cart_sub                    comm    -
Graph_create                comm    -          nnodes index edges reorder
Dist_graph_create           comm    -          reorder weights
Dist_graph_create_adjacent  comm    -          reorder weights
Comm_spawn                  comm    -          root
Comm_spawn_multiple         comm    -          root
Comm_accept                 comm    -          root
Comm_connect                comm    -          root
Win_create                  comm    -
Win_allocate                comm    -
Win_allocate_shared         comm    -
Win_create_dynamic          comm    -
Win_free                    win     -
Win_set_info                win     -
Win_fence                   win     -          assert
File_open                   comm    -          amode
File_close                  file    -
File_set_size               file    -          size
File_preallocate            file    -          size
File_set_info               file    -
File_set_view               file    -          datarep etype
File_set_atomicity          file    -          flag
File_sync                   file    -
File_seek_shared            file    -          offset whence
File_read_all               file    -
File_read_at_all            file    -
File_read_ordered           file    -
File_write_all              file    -
File_write_at_all           file    -
File_write_ordered          file    -
"""

COLLECTIVE = {
    operation: Agreement(over, signatures.strip("-"), tuple(arguments))
    for operation, over, signatures, *arguments in map(str.split, _COLLECTIVE.split("\n")[1:-1])
}

# The buffer that MPI_IN_PLACE may stand for (chapter 6, at each procedure). A prefix reduction
# leaves it to each process (6.11.1), and so does MPI_REDUCE_SCATTER (6.10.2): those whose entry of
# recvcounts is 0 may have no receive buffer. Of MPI_REDUCE_SCATTER_BLOCK all must give it (6.10.1).
IN_PLACE = {
    **dict.fromkeys(("Gather", "Gatherv", "Reduce"), ("sendbuf", "root")),
    **dict.fromkeys(("Scatter", "Scatterv"), ("recvbuf", "root")),
    **dict.fromkeys(
        ("Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Allreduce",
         "Reduce_scatter_block"),
        ("sendbuf", "all"),
    ),
    **dict.fromkeys(("Scan", "Exscan", "Reduce_scatter"), ("sendbuf", "any")),
}  # fmt: skip

# Whose part a collective call needs, but for those of neighbors (chapters 6, 7, 11, 12 and 14).
#   from root   the root's, which has data for the others
#   to root     the root needs that of the others
#   prefix      that of processes with lower ranks
#   exchange    that of all: each has data for each
#   agree       that of all: they agree on something
#   meet        that of another job, once all of this one have come
FLOWS = {
    **dict.fromkeys(("Bcast", "Scatter", "Scatterv"), "from root"),
    **dict.fromkeys(("Gather", "Gatherv", "Reduce"), "to root"),
    **dict.fromkeys(("Scan", "Exscan"), "prefix"),
    **dict.fromkeys(
        ("Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Allreduce",
         "Reduce_scatter", "Reduce_scatter_block"),
        "exchange",
    ),
    **dict.fromkeys(
        ("Barrier", "Comm_create", "Comm_dup", "Comm_split", "Comm_set_info", "Comm_free",
         "Comm_disconnect", "Comm_split_type", "Cart_create", "Cart_sub", "Graph_create",
         "Dist_graph_create", "Dist_graph_create_adjacent", "Intercomm_create",
         "Intercomm_merge", "Win_create", "Win_allocate", "Win_allocate_shared",
         "Win_create_dynamic", "File_open"),
        "agree",
    ),
    **dict.fromkeys(("Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect"), "meet"),
}  # fmt: skip


def of(operation: str) -> Agreement:
    """What is collective about an operation, nothing about most."""
    return COLLECTIVE.get(operation, Agreement())
