# SPDX-License-Identifier: MIT
"""Rules for topologies, communicators and groups: what they are made of, and asked."""

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
        "a process grid has a number of dimensions that is not negative",
        "look where ndims is computed",
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
        "let MPI_Dims_create fill dims for that many processes",
        "MUST_ERROR_INTEGER_PRODUCT_GREATER_COMM_SIZE",
        error_class="MPI_ERR_DIMS",
    ),
    _topology(
        "grid-numbers",
        "8.5.2",
        "numbers of processes and dimensions must not be negative",
        "look where {argument} is computed; dims[i] is 0 where MPI_Dims_create is to fill it",
        _NEGATIVE,
        error_class="MPI_ERR_DIMS",
    ),
    _topology(
        "grid-rest",
        "8.5.2",
        "nnodes is a multiple of the product of those dims that are not 0",
        "set the dims that are to be filled to 0 before the call",
        error_class="MPI_ERR_DIMS",
    ),
    _topology(
        "graph-nodes",
        "8.5.3",
        "a graph has from 0 nodes to as many as the communicator has processes",
        "pass at most the communicator's size as nnodes",
        "MUST_ERROR_INTEGER_GREATER_COMM_SIZE",
    ),
    _topology(
        "graph-index",
        "8.5.3",
        "index[i] counts the edges of the nodes 0 to i, so it never decreases",
        "add up the numbers of neighbors: index[i] = index[i - 1] + those of node i",
        "MUST_ERROR_INTEGER_NEGATIVE_ARRAY",
    ),
    _topology(
        "graph-edge",
        "8.5.3",
        "edges are nodes of the graph",
        "pass neighbors from 0 to nnodes - 1",
        "MUST_ERROR_INTEGER_ENTRY_GREATER_OR_EQUAL",
    ),
    _topology(
        "negative-degree",
        "8.5.4",
        "numbers of neighbors must not be negative",
        "look where {argument} is computed",
        _NEGATIVE,
    ),
    _topology(
        "negative-weight",
        "8.5.4",
        "weights of edges must not be negative",
        "look where {argument} is filled; MPI_UNWEIGHTED stands for equal weights",
        _NEGATIVE,
    ),
    _topology(
        "neighbor-rank",
        "8.5.4",
        "neighbors are ranks of the communicator",
        "leave out neighbors that do not exist: MPI_PROC_NULL is none",
        "MUST_ERROR_INTEGER_GREATER_EQUAL_COMM_SIZE",
        error_class="MPI_ERR_RANK",
    ),
    _topology(
        "null-neighbors",
        "8.5",
        "an array argument has an entry for each dimension, node or neighbor",
        "pass an array of {count} as {argument}",
        "MUST_ERROR_POINTER_NULL",
    ),
    _topology(
        "no-grid",
        "8.5.7",
        "only a communicator with a Cartesian topology has parts of its grid",
        "pass the communicator that MPI_Cart_create made",
        "MUST_ERROR_NOT_CART_COMM",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "no-coordinates",
        "8.5.5",
        "only a communicator with a Cartesian topology has coordinates",
        "pass the communicator that MPI_Cart_create made",
        "MUST_ERROR_NOT_CART_COMM",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "no-shift",
        "8.5.6",
        "only in a Cartesian topology ranks can be shifted",
        "pass the communicator that MPI_Cart_create made",
        "MUST_ERROR_NOT_CART_COMM",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "no-graph",
        "8.5.5",
        "only a communicator that MPI_Graph_create made has this list of neighbors",
        "pass that communicator, or ask with MPI_Dist_graph_neighbors",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "no-distributed-graph",
        "8.5.5",
        "only a communicator with a distributed graph has this list of neighbors",
        "pass the communicator that MPI_Dist_graph_create or MPI_Dist_graph_create_adjacent made",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "coordinate",
        "8.5.5",
        "coordinates lie within the grid, but in periodic dimensions",
        "let MPI_Cart_shift find neighbors: beyond the border it gives MPI_PROC_NULL",
    ),
    _topology(
        "grid-direction",
        "8.5.6",
        "directions are numbered from 0 to one less than the number of dimensions",
        "pass 0 for the first dimension",
    ),
    _topology(
        "topology-rank",
        "8.5.5",
        "a rank that is asked about is one of the communicator",
        "pass the rank on this communicator, not that on MPI_COMM_WORLD",
        "MUST_ERROR_INTEGER_GREATER_EQUAL_COMM_SIZE",
        error_class="MPI_ERR_RANK",
    ),
    _topology(
        "no-neighbors",
        "8.6",
        "neighborhood collective operations need a communicator with a topology",
        "pass the communicator that MPI_Cart_create, MPI_Graph_create or MPI_Dist_graph_create "
        "made",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    Rule(
        "negative-colour",
        "argument",
        "7.4.2",
        "a colour is not negative, or MPI_UNDEFINED",
        "pass MPI_UNDEFINED where the process is to be in none of the new communicators",
        "MUST_ERROR_INTEGER_NEGATIVE_UNDEFINED",
        error_class="MPI_ERR_ARG",
    ),
    *(
        Rule(
            id,
            "argument",
            section,
            f"{sentence} an intracommunicator",
            "pass an intracommunicator: MPI_Intercomm_merge makes one of both groups",
            error_class="MPI_ERR_COMM",
        )
        for id, section, sentence in (
            ("one-group-scan", "6.11", "prefixes are only reduced on"),
            ("one-group-topology", "8.1", "a topology can only be added to"),
            ("one-group-window", "12.2", "a window is made of the group of"),
            ("one-group-file", "14.2.1", "a file is opened by the group of"),
            ("one-group-part", "7.4.2", "MPI_Comm_create_group takes part of the group of"),
            ("one-group-leaders", "7.6.2", "the local communicator is"),
        )
    ),
    *(
        Rule(
            id,
            "argument",
            section,
            f"{sentence} an intercommunicator",
            "pass the communicator that MPI_Intercomm_create made",
            error_class="MPI_ERR_COMM",
        )
        for id, section, sentence in (
            ("two-groups-merged", "7.6.2", "what is merged are the groups of"),
            ("two-groups-remote", "7.6.1", "there is a remote group only in"),
        )
    ),
    Rule(
        "leader",
        "argument",
        "7.6.2",
        "a leader is a rank of its communicator",
        "pass the rank on {comm_argument}, not that on MPI_COMM_WORLD",
        "MUST_ERROR_INTEGER_GREATER_EQUAL_COMM_SIZE",
        error_class="MPI_ERR_RANK",
    ),
)

_GROUPS = (
    _group(
        "group-length",
        "the number of ranks is from 0 to the group's size",
        "look where n is computed",
        "MUST_ERROR_INTEGER_GREATER_GROUP_SIZE",
    ),
    _group(
        "null-ranks",
        "an array argument has an entry for each rank",
        "pass an array of {count} as {argument}",
        "MUST_ERROR_POINTER_NULL",
    ),
    _group(
        "group-rank",
        "ranks are those of the group",
        "pass ranks in the group that is given, not those in MPI_COMM_WORLD",
        "MUST_ERROR_INTEGER_GREATER_GROUP_SIZE_ARRAY",
        error_class="MPI_ERR_RANK",
    ),
    Rule(
        "translated-number",
        "group-argument",
        "7.3.1",
        "the number of ranks is not negative",
        "look where n is computed",
        error_class=_ARGUMENT,
    ),
    Rule(
        "translated-rank",
        "group-argument",
        "7.3.1",
        "ranks to translate are those of the first group, or MPI_PROC_NULL",
        "pass ranks in the first group, and the group that they are wanted in as the second",
        "MUST_ERROR_INTEGER_GREATER_GROUP_SIZE_ARRAY",
        error_class="MPI_ERR_RANK",
    ),
    _group(
        "group-twice",
        "no rank may be given twice",
        "name each rank once",
        "MUST_ERROR_INTEGER_DUPLICATION_ARRAY",
        error_class="MPI_ERR_RANK",
    ),
    _group(
        "group-stride",
        "the stride of a range must not be 0",
        "pass 1 for ranks that follow each other",
        "MUST_ERROR_GROUP_RANGE_STRIDE",
    ),
    _group(
        "range-rank",
        "ranges are of ranks of the group",
        "pass ranges within the group that is given",
        "MUST_ERROR_RANK_FROM_RANGES_NOT_IN_GROUP",
        error_class="MPI_ERR_RANK",
    ),
    _group(
        "range-twice",
        "no rank may be in two ranges",
        "let the ranges be disjoint",
        "MUST_ERROR_INTEGER_DUPLICATION_ARRAY_TRIPLET",
        error_class="MPI_ERR_RANK",
    ),
)

RULES = (*_TOPOLOGIES, *_GROUPS)

_NEEDS = "{procedure} needs a {kind} topology, the communicator has {noun}"
_NULL = "{argument} is a null pointer, but {count} {noun} needed"
_ONE_GROUP = "{procedure} needs an intracommunicator, but the communicator has two groups"
_TWO_GROUPS = "{procedure} needs an intercommunicator, but the communicator has one group"
WHAT: Templates = {
    "negative-dimensions": "ndims is {number}",
    "negative-dimension": "dims[{index}] is {number}",
    "grid-too-large": "dims describe {wanted_count} processes, but the communicator has {count}",
    "grid-numbers": "{argument} is {number}",
    "grid-rest": "nnodes is {count}, no multiple of the {product_number} that dims give",
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
    "coordinate": "coords[{index}] is {offset}, but dimension {index} has the size {count} and is "
    "not periodic",
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
