# SPDX-License-Identifier: MIT
"""Rules for the arguments and queries of topologies, communicators and groups."""

from __future__ import annotations

from mpipp.analysis.rules.rule import Rule, Templates

_NEGATIVE = "MUST_ERROR_INTEGER_NEGATIVE"
_ARGUMENT = "MPI_ERR_ARG"


def _topology(
    id: str, section: str, sentence: str, advice: str, must: str = "", error_class: str = _ARGUMENT
) -> Rule:
    return Rule(id, "topology-argument", section, sentence, advice, must, error_class=error_class)


def _group(
    id: str, sentence: str, advice: str, must: str = "", error_class: str = _ARGUMENT
) -> Rule:
    return Rule(id, "group-argument", "7.3.2", sentence, advice, must, error_class=error_class)


_TOPOLOGIES = (
    _topology(
        "negative-dimensions",
        "8.5.1",
        "the number of dimensions of a process grid must not be negative",
        "check where ndims is computed",
        _NEGATIVE,
        error_class="MPI_ERR_DIMS",
    ),
    _topology(
        "negative-dimension",
        "8.5.1",
        "the sizes of a process grid must not be negative",
        "let MPI_Dims_create fill dims",
        "MUST_ERROR_INTEGER_NEGATIVE_ARRAY",
        error_class="MPI_ERR_DIMS",
    ),
    _topology(
        "grid-too-large",
        "8.5.1",
        "a process grid must not be larger than the communicator's group",
        "let MPI_Dims_create fill dims for the size of the communicator",
        "MUST_ERROR_INTEGER_PRODUCT_GREATER_COMM_SIZE",
        error_class="MPI_ERR_DIMS",
    ),
    _topology(
        "grid-numbers",
        "8.5.2",
        "numbers of processes and dimensions must not be negative",
        "check where {argument} is computed; set dims[i] to 0 if MPI_Dims_create is to fill it",
        _NEGATIVE,
        error_class="MPI_ERR_DIMS",
    ),
    _topology(
        "grid-rest",
        "8.5.2",
        "nnodes must be a multiple of the product of the nonzero dims",
        "set the entries of dims to 0 that MPI_Dims_create is to fill",
        error_class="MPI_ERR_DIMS",
    ),
    _topology(
        "graph-nodes",
        "8.5.3",
        "a graph must have from 0 nodes to the number of processes of the communicator",
        "pass at most the communicator's size as nnodes",
        "MUST_ERROR_INTEGER_GREATER_COMM_SIZE",
    ),
    _topology(
        "graph-index",
        "8.5.3",
        "index[i] counts the edges of the nodes 0 to i, so it must not decrease",
        "add up the neighbors: index[i] = index[i - 1] + neighbors of node i",
        "MUST_ERROR_INTEGER_NEGATIVE_ARRAY",
    ),
    _topology(
        "graph-edge",
        "8.5.3",
        "each edge must lead to a node of the graph",
        "pass neighbors from 0 to nnodes - 1",
        "MUST_ERROR_INTEGER_ENTRY_GREATER_OR_EQUAL",
    ),
    _topology(
        "negative-degree",
        "8.5.4",
        "numbers of neighbors must not be negative",
        "check where {argument} is computed",
        _NEGATIVE,
    ),
    _topology(
        "negative-weight",
        "8.5.4",
        "weights of edges must not be negative",
        "check where {argument} is filled; for equal weights pass MPI_UNWEIGHTED",
        _NEGATIVE,
    ),
    _topology(
        "neighbor-rank",
        "8.5.4",
        "neighbors must be ranks of the communicator",
        "leave out neighbors that do not exist: MPI_PROC_NULL is not a neighbor",
        "MUST_ERROR_INTEGER_GREATER_EQUAL_COMM_SIZE",
        error_class="MPI_ERR_RANK",
    ),
    _topology(
        "null-neighbors",
        "8.5",
        "an array argument must have an entry for each dimension, node or neighbor",
        "pass an array of {count} as {argument}",
        "MUST_ERROR_POINTER_NULL",
    ),
    _topology(
        "no-grid",
        "8.5.7",
        "only a communicator with a Cartesian topology can be split into subgrids",
        "pass a communicator from MPI_Cart_create",
        "MUST_ERROR_NOT_CART_COMM",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "no-coordinates",
        "8.5.5",
        "only a communicator with a Cartesian topology has coordinates",
        "pass a communicator from MPI_Cart_create",
        "MUST_ERROR_NOT_CART_COMM",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "no-shift",
        "8.5.6",
        "ranks can be shifted only in a Cartesian topology",
        "pass a communicator from MPI_Cart_create",
        "MUST_ERROR_NOT_CART_COMM",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "no-graph",
        "8.5.5",
        "only a communicator from MPI_Graph_create has this list of neighbors",
        "pass a communicator from MPI_Graph_create, or call MPI_Dist_graph_neighbors for a "
        "distributed graph",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "no-distributed-graph",
        "8.5.5",
        "only a communicator with a distributed graph has this list of neighbors",
        "pass a communicator from MPI_Dist_graph_create or MPI_Dist_graph_create_adjacent",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "coordinate",
        "8.5.5",
        "coordinates must lie in the grid, except in periodic dimensions",
        "find neighbors with MPI_Cart_shift: beyond the border it returns MPI_PROC_NULL",
    ),
    _topology(
        "grid-direction",
        "8.5.6",
        "direction must be from 0 to ndims - 1",
        "pass 0 for the first dimension",
    ),
    _topology(
        "topology-rank",
        "8.5.5",
        "the rank must be a rank of the communicator",
        "pass the rank in this communicator, not the rank in MPI_COMM_WORLD",
        "MUST_ERROR_INTEGER_GREATER_EQUAL_COMM_SIZE",
        error_class="MPI_ERR_RANK",
    ),
    _topology(
        "no-neighbors",
        "8.6",
        "neighborhood collective operations need a communicator with a topology",
        "pass a communicator from MPI_Cart_create, MPI_Graph_create or MPI_Dist_graph_create",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    Rule(
        "negative-colour",
        "argument",
        "7.4.2",
        "a color must be nonnegative or MPI_UNDEFINED",
        "pass MPI_UNDEFINED if the process is to join no new communicator",
        "MUST_ERROR_INTEGER_NEGATIVE_UNDEFINED",
        error_class="MPI_ERR_ARG",
    ),
    *(
        Rule(
            id,
            "argument",
            section,
            f"{sentence} an intracommunicator",
            "pass an intracommunicator: MPI_Intercomm_merge creates one from both groups",
            error_class="MPI_ERR_COMM",
        )
        for id, section, sentence in (
            ("one-group-scan", "6.11", "a prefix reduction needs"),
            ("one-group-topology", "8.1", "a topology can be added only to"),
            ("one-group-window", "12.2", "a window can be created only on"),
            ("one-group-file", "14.2.1", "a file can be opened only on"),
            ("one-group-part", "7.4.2", "MPI_Comm_create_group needs"),
            ("one-group-leaders", "7.6.2", "the local communicator must be"),
        )
    ),
    *(
        Rule(
            id,
            "argument",
            section,
            f"{sentence} an intercommunicator",
            "pass a communicator from MPI_Intercomm_create",
            error_class="MPI_ERR_COMM",
        )
        for id, section, sentence in (
            ("two-groups-merged", "7.6.2", "MPI_Intercomm_merge needs"),
            ("two-groups-remote", "7.6.1", "a remote group exists only in"),
        )
    ),
    Rule(
        "leader",
        "argument",
        "7.6.2",
        "a leader must be a rank of its communicator",
        "pass the rank in {comm_argument}, not the rank in MPI_COMM_WORLD",
        "MUST_ERROR_INTEGER_GREATER_EQUAL_COMM_SIZE",
        error_class="MPI_ERR_RANK",
    ),
)

_GROUPS = (
    _group(
        "group-length",
        "the number of ranks must be from 0 to the group's size",
        "check where n is computed",
        "MUST_ERROR_INTEGER_GREATER_GROUP_SIZE",
    ),
    _group(
        "null-ranks",
        "an array argument must have an entry for each rank",
        "pass an array of {count} as {argument}",
        "MUST_ERROR_POINTER_NULL",
    ),
    _group(
        "group-rank",
        "ranks must be ranks of the group",
        "pass ranks in this group, not ranks in MPI_COMM_WORLD",
        "MUST_ERROR_INTEGER_GREATER_GROUP_SIZE_ARRAY",
        error_class="MPI_ERR_RANK",
    ),
    Rule(
        "translated-number",
        "group-argument",
        "7.3.1",
        "the number of ranks must not be negative",
        "check where n is computed",
        error_class=_ARGUMENT,
    ),
    Rule(
        "translated-rank",
        "group-argument",
        "7.3.1",
        "ranks to translate must be ranks of the first group, or MPI_PROC_NULL",
        "pass ranks in the first group, and the group to translate to as the second",
        "MUST_ERROR_INTEGER_GREATER_GROUP_SIZE_ARRAY",
        error_class="MPI_ERR_RANK",
    ),
    _group(
        "group-twice",
        "no rank may be passed twice",
        "pass each rank once",
        "MUST_ERROR_INTEGER_DUPLICATION_ARRAY",
        error_class="MPI_ERR_RANK",
    ),
    _group(
        "group-stride",
        "the stride of a range must not be 0",
        "pass 1 for consecutive ranks",
        "MUST_ERROR_GROUP_RANGE_STRIDE",
    ),
    _group(
        "range-rank",
        "ranges must consist of ranks of the group",
        "pass ranges of ranks in this group",
        "MUST_ERROR_RANK_FROM_RANGES_NOT_IN_GROUP",
        error_class="MPI_ERR_RANK",
    ),
    _group(
        "range-twice",
        "no rank may be in two ranges",
        "make the ranges disjoint",
        "MUST_ERROR_INTEGER_DUPLICATION_ARRAY_TRIPLET",
        error_class="MPI_ERR_RANK",
    ),
)

RULES = (*_TOPOLOGIES, *_GROUPS)

_NEEDS = "{procedure} needs a {kind} topology, but the communicator has {noun}"
_NULL = "{argument} is a null pointer, but {count} {noun} needed"
_ONE_GROUP = "{procedure} needs an intracommunicator, but the communicator has two groups"
_TWO_GROUPS = "{procedure} needs an intercommunicator, but the communicator has one group"
WHAT: Templates = {
    "negative-dimensions": "ndims is {number}",
    "negative-dimension": "dims[{index}] is {number}",
    "grid-too-large": "dims describe {wanted_count} processes, but the communicator has {count}",
    "grid-numbers": "{argument} is {number}",
    "grid-rest": "nnodes is {count}, which is not a multiple of {product_number}, the product of "
    "the nonzero dims",
    "graph-nodes": "nnodes is {number}, but the communicator has {count} {noun}",
    "graph-index": "index[{index}] is {number}, less than the {first_number} before it",
    "graph-edge": "edges[{index}] is {number}, but the nodes are 0 to {last_number}",
    "negative-degree": "{argument} is {number}",
    "negative-weight": "{argument}[{index}] is {number}",
    "neighbor-rank": "{argument}[{index}] is {number}, but the communicator has {ranks}",
    "null-neighbors": _NULL,
    "no-grid": _NEEDS,
    "no-coordinates": _NEEDS,
    "no-shift": _NEEDS,
    "no-graph": _NEEDS,
    "no-distributed-graph": _NEEDS,
    "coordinate": "coords[{index}] is {offset}, but dimension {index} has size {count} and is not "
    "periodic",
    "grid-direction": "direction is {number}, but the grid has {count} {noun}",
    "topology-rank": "rank is {number}, but the communicator has {ranks}",
    "no-neighbors": "{procedure} is called on a communicator without a topology",
    "negative-colour": "color is {number}",
    "leader": "{argument} is {number}, but {comm_argument} has {ranks}",
    **dict.fromkeys(
        (f"one-group-{of}" for of in ("scan", "topology", "window", "file", "part", "leaders")),
        _ONE_GROUP,
    ),
    **dict.fromkeys(("two-groups-merged", "two-groups-remote"), _TWO_GROUPS),
    "group-length": "n is {number}, but the group has {ranks}",
    "null-ranks": _NULL,
    "group-rank": "ranks[{index}] is {number}, but the group has {ranks}",
    "translated-number": "n is {number}",
    "translated-rank": "ranks1[{index}] is {number}, but group1 has {ranks}",
    "group-twice": "ranks[{first_index}] and ranks[{index}] are both {number}",
    "group-stride": "{clause}",
    "range-rank": "{clause}, but the group has {ranks}",
    "range-twice": "the rank {number} is in ranges[{first_index}] and ranges[{index}]",
}
