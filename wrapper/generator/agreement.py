# SPDX-License-Identifier: MIT
"""The table of collective operations: the facts that must agree between the processes of a call.

Each rule is the standard's own: MPI-4.1, chapters 6 (communication), 7 and 8 (communicators), 11
(processes), 12 (windows), 14 (files). The table has no row for facts that the standard leaves open.

Three modules apply the table, without the name of an operation. `buffer_pairs` compares the calls
of several processes (mpipp/analysis/collectives). `buffer_terms` makes fingerprints of the calls of
one process (mpipp/distributed/fingerprints). fingerprint.c makes fingerprints of a call that has
not begun (wrapper/collective_precheck).
"""

from __future__ import annotations

import re
from typing import NamedTuple

# The scope of a collective procedure: the passed communicator, window or file, the members of its
# argument `group`, or both groups of its new intercommunicator.
SCOPES = ("", "comm", "group", "groups", "win", "file")

# The processes for which a call waits; if it has buffers, also which process sends to which.
#   from root   each process needs the root, which has data for all
#   to root     the root needs each process
#   prefix      each process needs those with lower ranks
#   exchange    each process needs each: all have data for all
#   agree       like exchange, without data
#   meet        processes of another job, after all processes of this job have made the call
#   edges       the sources and destinations in the topology
# On an intercommunicator these processes, and the root, belong to the other group (6.2.3).
FLOWS = ("", "from root", "to root", "prefix", "exchange", "agree", "meet", "edges")

# The type signatures that must be equal. A reduction, which has an argument `op`, sends no
# messages: the data that all processes reduce must be equal. An intercommunicator's rooted
# reduction sends the result of one group to the other. All other data must equal what its receiver
# expects:
#   equal       on an intracommunicator all data of all processes is equal (6.4, 6.5.1, 6.6.1,
#               6.7.1, 6.8.1, 6.9)
#   vector      all processes have the same signature for each process, as MPI_Allgatherv (6.7.2,
#               6.10.2)
#   pairs       each pair of processes may have its own (6.5.2, 6.6.2, 6.8.2). So may each edge of a
#               topology, and several edges from one process to another match in any order (8.6)
SIGNATURES = ("", "equal", "vector", "pairs")

# Where MPI_IN_PLACE is allowed: only at the root, at all processes or none, or at any. A prefix
# reduction leaves the choice to each process (6.11.1). So does MPI_REDUCE_SCATTER (6.10.2): a
# process whose entry of recvcounts is 0 may have no receive buffer. MPI_REDUCE_SCATTER_BLOCK does
# not (6.10.1).
PLACES = ("", "root", "all", "any")

# Arguments that must agree, in the order of their bits in C, and the rule for each. A name that has
# several rules is followed by a colon.
#   equal       the same value at all processes
#   root        the same rank; on intercommunicators as section 6.2.3 says
#   predefined  the same predefined operation; MPI does not compare user-defined ones (6.9.1)
#   members     the same group at all its members; other processes may pass other groups (7.4.2)
#   side        the same value in each of the two groups (7.6.2)
#   leaders     the same value at the two leaders, who find each other by it (7.6.2)
#   defined     the same value, except for MPI_UNDEFINED (7.4.2)
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
# Logical arguments: all values that mean true agree (2.5.4).
LOGICAL = ("high", "periods", "reorder", "flag")


class Agreement(NamedTuple):
    """The rules for one collective operation: one row of the table below."""

    over: str = ""
    flow: str = ""
    signatures: str = ""
    in_place: tuple[str, ...] = ()  # the buffer that MPI_IN_PLACE may replace, and where
    arguments: tuple[str, ...] = ()


# For each operation: over, flow, signatures, in_place, arguments; "-": none.
_COLLECTIVE = """
Barrier                       comm    agree      -       -             -
Bcast                         comm    from root  equal   -             root
Gather                        comm    to root    equal   sendbuf root  root
Gatherv                       comm    to root    pairs   sendbuf root  root
Scatter                       comm    from root  equal   recvbuf root  root
Scatterv                      comm    from root  pairs   recvbuf root  root
Allgather                     comm    exchange   equal   sendbuf all   -
Allgatherv                    comm    exchange   vector  sendbuf all   -
Alltoall                      comm    exchange   equal   sendbuf all   -
Alltoallv                     comm    exchange   pairs   sendbuf all   -
Alltoallw                     comm    exchange   pairs   sendbuf all   -
Reduce                        comm    to root    equal   sendbuf root  root op
Allreduce                     comm    exchange   equal   sendbuf all   op
Reduce_scatter_block          comm    exchange   equal   sendbuf all   op
Reduce_scatter                comm    exchange   vector  sendbuf any   op
Scan                          comm    prefix     equal   sendbuf any   op
Exscan                        comm    prefix     equal   sendbuf any   op
Neighbor_allgather            comm    edges      pairs   -             -
Neighbor_allgatherv           comm    edges      pairs   -             -
Neighbor_alltoall             comm    edges      pairs   -             -
Neighbor_alltoallv            comm    edges      pairs   -             -
Neighbor_alltoallw            comm    edges      pairs   -             -
Comm_dup                      comm    agree      -       -             -
Comm_create                   comm    agree      -       -             group
Comm_create_group             group   -          -       -             group tag
Comm_create_from_group        group   -          -       -             group stringtag
Comm_split                    comm    agree      -       -             -
Comm_split_type               comm    agree      -       -             split_type
Comm_set_info                 comm    agree      -       -             -
Comm_free                     comm    agree      -       -             -
Comm_disconnect               comm    agree      -       -             -
Intercomm_create              groups  agree      -       -             local_leader tag:leaders
Intercomm_create_from_groups  groups  -          -       -             local_group local_leader stringtag
Intercomm_merge               comm    agree      -       -             high
Cart_create                   comm    agree      -       -             ndims dims periods reorder
Cart_sub                      comm    agree      -       -             -
Graph_create                  comm    agree      -       -             nnodes index edges reorder
Dist_graph_create             comm    agree      -       -             reorder weights
Dist_graph_create_adjacent    comm    agree      -       -             reorder weights
Comm_spawn                    comm    meet       -       -             root
Comm_spawn_multiple           comm    meet       -       -             root
Comm_accept                   comm    meet       -       -             root
Comm_connect                  comm    meet       -       -             root
Win_create                    comm    agree      -       -             -
Win_allocate                  comm    agree      -       -             -
Win_allocate_shared           comm    agree      -       -             -
Win_create_dynamic            comm    agree      -       -             -
Win_free                      win     -          -       -             -
Win_set_info                  win     -          -       -             -
Win_fence                     win     -          -       -             assert
File_open                     comm    agree      -       -             amode
File_close                    file    -          -       -             -
File_set_size                 file    -          -       -             size
File_preallocate              file    -          -       -             size
File_set_info                 file    -          -       -             -
File_set_view                 file    -          -       -             datarep etype
File_set_atomicity            file    -          -       -             flag
File_sync                     file    -          -       -             -
File_seek_shared              file    -          -       -             offset whence
File_read_all                 file    -          -       -             -
File_read_at_all              file    -          -       -             -
File_read_ordered             file    -          -       -             -
File_write_all                file    -          -       -             -
File_write_at_all             file    -          -       -             -
File_write_ordered            file    -          -       -             -
"""  # noqa: E501


def _agreements(table: str) -> dict[str, Agreement]:
    found = {}
    for row in table.strip().split("\n"):
        operation, *cells = ("" if cell == "-" else cell for cell in re.split(" {2,}", row))
        over, flow, signatures, in_place, arguments = cells
        found[operation] = Agreement(
            over, flow, signatures, tuple(in_place.split()), tuple(arguments.split())
        )
    return found


COLLECTIVE = _agreements(_COLLECTIVE)


def agreement(operation: str) -> Agreement:
    """The rules for an operation; most operations have none."""
    return COLLECTIVE.get(operation, Agreement())
