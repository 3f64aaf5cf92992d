# SPDX-License-Identifier: MIT
"""Rules for reductions, one-sided operations, topologies and groups, one process alone."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.checks.rules.rule import WARNING, Rule

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


def _transfer(id: str, section: str, sentence: str) -> Iterator[Rule]:
    # Of a one-sided operation: what is at both ends, with a rule for MPI_BYTE.
    advice = "describe the same basic types in the same order on both sides"
    of_bytes = f"{sentence}; MPI_BYTE matches only MPI_BYTE"
    for which, told in (("types", sentence), ("types-byte", of_bytes)):
        name = f"{id}-{which}"
        yield Rule(name, "target-mismatch", section, told, advice, error_class="MPI_ERR_TYPE")
    yield Rule(
        f"{id}-length",
        "target-mismatch",
        section,
        "what is moved must fit, without truncation, where it goes",
        "let both sides have the same number of elements",
        error_class="MPI_ERR_TRUNCATE",
    )


_REDUCTIONS = (
    Rule(
        "accumulate-op",
        "op-not-allowed",
        "12.3.4",
        "{op} is for {where} only",
        "pass an operation that reduces, such as MPI_SUM",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "own-op",
        "op-not-allowed",
        "12.3.4",
        "only predefined operations may be used to accumulate",
        "pass MPI_SUM or another predefined one; or get, compute and put under a lock",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "op-of-type",
        "op-type",
        "6.9.2",
        "{op} is for {classes}",
        "pass an operation for this datatype, or a datatype of the values' own type",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "op-of-pairs",
        "op-type",
        "6.9.4",
        "{op} is for {classes}",
        "pass MPI_DOUBLE_INT or the like, and pairs of value and index",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "op-of-derived-type",
        "op-type",
        "6.9.2",
        "predefined operations reduce predefined datatypes",
        "reduce the elements themselves with a larger count, or make an operation with "
        "MPI_Op_create",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "accumulated-types",
        "op-type",
        "12.3.4",
        "what is accumulated must be of one predefined datatype throughout",
        "describe elements of one type, in several calls if need be",
        error_class="MPI_ERR_TYPE",
    ),
)

_WINDOWS = (
    Rule(
        "outside-window",
        "outside-window",
        "12.3.1",
        "the target's memory must lie in its window",
        "{advice}",
        error_class="MPI_ERR_RMA_RANGE",
    ),
    Rule(
        "negative-window-size",
        "window-argument",
        "12.2.1",
        "a window's size must not be negative",
        "look how the size is computed: it is in bytes",
        _NEGATIVE,
        error_class="MPI_ERR_SIZE",
    ),
    Rule(
        "displacement-unit",
        "window-argument",
        "12.2.1",
        "the displacement unit must be positive",
        "pass 1 for displacements in bytes, or the size of an element",
        error_class="MPI_ERR_DISP",
    ),
)

_TRANSFERS = (
    *_transfer(
        "transfer",
        "12.3.1",
        "the types at the origin and at the target must match, in the same order, as those of a "
        "message",
    ),
    *_transfer(
        "accumulate",
        "12.3.4",
        "all datatypes of a call that accumulates must be of one predefined datatype",
    ),
)

_ATTACHED = (
    Rule(
        "attached-too-small",
        "attached-buffer",
        "3.6",
        "a buffered send needs room for its data and MPI_BSEND_OVERHEAD bytes in the attached "
        "buffer",
        "attach a buffer with room for all messages that may be in it at a time, of each what "
        "MPI_Pack_size says and MPI_BSEND_OVERHEAD",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "attached-too-small-for-all",
        "attached-buffer",
        "3.6",
        "a message may stay in the attached buffer until it is received, and of that the process "
        "has heard nothing in between",
        "attach a buffer with room for all of them, of each what MPI_Pack_size says and "
        "MPI_BSEND_OVERHEAD; or wait for an answer before more are sent",
        severity=WARNING,
    ),
    Rule(
        "attached-in-use",
        "attached-buffer",
        "3.6",
        "the space of an attached buffer may be used again only once it is detached",
        "send from other memory, or detach the buffer first",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "attached-twice",
        "attached-buffer",
        "3.6",
        "only one buffer can be attached at a time",
        "detach the other one before, with MPI_Buffer_detach or MPI_Comm_detach_buffer",
        error_class="MPI_ERR_BUFFER",
    ),
)

_PARTITIONS = (
    Rule(
        "no-partitions",
        "partition",
        "4.2.1",
        "only partitions of a partitioned send are marked ready",
        "pass the request that MPI_Psend_init has made",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "no-such-partition",
        "partition",
        "4.2.1",
        "partitions are numbered from 0 to one less than MPI_Psend_init was told",
        "look how the number is computed",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "ready-before-start",
        "partition",
        "4.2.1",
        "partitions are marked ready after MPI_Start, and before the operation is complete",
        "start the operation before",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "ready-again",
        "partition",
        "4.2.1",
        "each partition is marked ready once after each start",
        "look which thread marks which partitions",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "no-arrivals",
        "partition",
        "4.2.2",
        "only partitions of a partitioned receive arrive",
        "pass the request that MPI_Precv_init has made",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "no-such-arrival",
        "partition",
        "4.2.2",
        "partitions are numbered from 0 to one less than MPI_Precv_init was told",
        "look how the number is computed; the send may have another number of partitions",
        error_class="MPI_ERR_ARG",
    ),
)

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
        "look where {name} is computed; dims[i] is 0 where MPI_Dims_create is to fill it",
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
        "add up the numbers of neighbours: index[i] = index[i - 1] + those of node i",
        "MUST_ERROR_INTEGER_NEGATIVE_ARRAY",
    ),
    _topology(
        "graph-edge",
        "8.5.3",
        "edges are nodes of the graph",
        "pass neighbours from 0 to nnodes - 1",
        "MUST_ERROR_INTEGER_ENTRY_GREATER_OR_EQUAL",
    ),
    _topology(
        "negative-degree",
        "8.5.4",
        "numbers of neighbours must not be negative",
        "look where {name} is computed",
        _NEGATIVE,
    ),
    _topology(
        "negative-weight",
        "8.5.4",
        "weights of edges must not be negative",
        "look where {name} is filled; MPI_UNWEIGHTED stands for equal weights",
        _NEGATIVE,
    ),
    _topology(
        "neighbour-rank",
        "8.5.4",
        "neighbours are ranks of the communicator",
        "leave out neighbours that do not exist: MPI_PROC_NULL is none",
        "MUST_ERROR_INTEGER_GREATER_EQUAL_COMM_SIZE",
        error_class="MPI_ERR_RANK",
    ),
    _topology(
        "null-neighbours",
        "8.5",
        "an array argument has an entry for each dimension, node or neighbour",
        "pass an array of {length} as {name}",
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
        "only a communicator that MPI_Graph_create made has this list of neighbours",
        "pass that communicator, or ask with MPI_Dist_graph_neighbors",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _topology(
        "coordinate",
        "8.5.5",
        "coordinates lie within the grid, but in periodic dimensions",
        "let MPI_Cart_shift find neighbours: beyond the border it gives MPI_PROC_NULL",
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
        "no-neighbours",
        "8.6",
        "neighbourhood collective operations need a communicator with a topology",
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
    Rule(
        "leader",
        "argument",
        "7.6.2",
        "a leader is a rank of its communicator",
        "pass the rank on {comm}, not that on MPI_COMM_WORLD",
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
        "pass an array of {length} as {name}",
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

RULES = (*_REDUCTIONS, *_WINDOWS, *_TRANSFERS, *_ATTACHED, *_PARTITIONS, *_TOPOLOGIES, *_GROUPS)
