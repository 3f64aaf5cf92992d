# SPDX-License-Identifier: MIT
"""Are the arguments of calls on topologies and of those that make communicators allowed?

Process grids and graphs (MPI-4.1, section 8.5), colours of a split (section 7.4.2), leaders of
groups that meet (section 7.6.2), and neighborhoods (section 8.6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from mpipp.checks.finding import Finding, Findings, Party
from mpipp.checks.process import Operation, Process
from mpipp.checks.ranges import missing_arrays, ranks_of
from mpipp.model import Comm


def check(process: Process) -> Findings:
    """The first thing wrong with every call that makes a communicator, or is about a topology."""
    for operation in process.operations:
        call = operation.call
        check_one = _CHECKS.get(call.procedure)
        # A pending operation may outlive its communicator.
        comm = operation.comm if operation.tid is not None else None
        if call.procedure == "MPI_Dims_create":
            yield from islice(_sizes(operation), 1)
        if comm is None:
            continue
        if operation.among_neighbors and comm.topology == "none":
            what = f"{call.procedure} is called on a communicator without a topology"
            parties = [operation.party(), *_made(operation, comm)]
            yield Finding.of("no-neighbors", what, parties)
        elif check_one is not None:
            yield from islice(check_one(operation, comm), 1)


def _made(operation: Operation, comm: Comm) -> list[Party]:
    return [] if comm.header.predefined else [operation.process.made(comm)]


def _number(operation: Operation, name: str) -> int | None:
    value = operation.call.arguments.get(name)
    return value if isinstance(value, int) else None


def _array(operation: Operation, name: str) -> Sequence[int]:
    # Nothing where it is a null pointer or cannot be read.
    value = operation.call.arguments.get(name)
    return value if isinstance(value, tuple) else ()


def _nulls(operation: Operation, lengths: Mapping[str, int | None]) -> Findings:
    for what, words in missing_arrays(operation.call.arguments, lengths):
        yield Finding.of("null-neighbors", what, [operation.party()], **words)


def _grid(operation: Operation, comm: Comm) -> Findings:
    ndims, dims = _number(operation, "ndims"), _array(operation, "dims")
    party = [operation.party()]
    if ndims is not None and ndims < 0:
        yield Finding.of("negative-dimensions", f"ndims is {ndims}", party)
    yield from _nulls(operation, {"dims": ndims, "periods": ndims})
    for i, size in enumerate(dims):
        if size < 0:
            yield Finding.of("negative-dimension", f"dims[{i}] is {size}", party)
    wanted = math.prod(dims)
    if wanted > comm.size:
        what = f"dims describe {wanted} processes, but the communicator has {comm.size}"
        yield Finding.of("grid-too-large", what, party)


def _sizes(operation: Operation) -> Findings:
    nnodes, dims = _number(operation, "nnodes"), _array(operation, "dims")
    party, ndims = [operation.party()], _number(operation, "ndims")
    numbers = {"nnodes": nnodes, "ndims": ndims, **{f"dims[{i}]": n for i, n in enumerate(dims)}}
    for name, number in numbers.items():
        if number is not None and number < 0:
            yield Finding.of("grid-numbers", f"{name} is {number}", party, name=name)
    yield from _nulls(operation, {"dims": ndims})
    given = math.prod(size for size in dims if size)
    if nnodes is not None and nnodes % given:
        what = f"nnodes is {nnodes}, no multiple of the {given} that dims give"
        yield Finding.of("grid-rest", what, party)


def _needs(operation: Operation, comm: Comm, topology: str, rule: str) -> Findings:
    if comm.topology != topology:
        has = {"none": "none", "cartesian": "a Cartesian one"}.get(
            comm.topology, f"a {comm.topology}"
        )
        kind = "Cartesian" if topology == "cartesian" else topology
        what = f"{operation.call.procedure} needs a {kind} topology, the communicator has {has}"
        yield Finding.of(rule, what, [operation.party(), *_made(operation, comm)])


def _part_of_grid(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-grid")


def _size_of_grid(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-coordinates")


def _coordinates(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-coordinates")
    yield from _nulls(operation, {"coords": len(comm.dims)})
    parties = [operation.party(), *_made(operation, comm)]
    for i, (at, size, periodic) in enumerate(
        zip(_array(operation, "coords"), comm.dims, comm.periods)
    ):
        if not periodic and not 0 <= at < size:
            what = f"coords[{i}] is {at}, but dimension {i} has the size {size} and is not periodic"
            yield Finding.of("coordinate", what, parties)


def _coordinates_of(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-coordinates")
    yield from _rank(operation, comm)


def _shift(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-shift")
    direction, ndims = _number(operation, "direction"), len(comm.dims)
    if direction is not None and not 0 <= direction < ndims:
        what = f"direction is {direction}, but the grid has {ndims} dimension{'s' * (ndims != 1)}"
        parties = [operation.party(), *_made(operation, comm)]
        yield Finding.of("grid-direction", what, parties)


def _neighbors_of(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "graph", "no-graph")
    yield from _rank(operation, comm)


def _edges(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "graph", "no-graph")


def _distributed_edges(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "distributed graph", "no-distributed-graph")


def _rank(operation: Operation, comm: Comm) -> Findings:
    rank = _number(operation, "rank")
    if rank is not None and not 0 <= rank < comm.size:
        what = f"rank is {rank}, but the communicator has {ranks_of(comm.size)}"
        yield Finding.of("topology-rank", what, [operation.party(), *_made(operation, comm)])


def _graph(operation: Operation, comm: Comm) -> Findings:
    nnodes, index = _number(operation, "nnodes"), _array(operation, "index")
    party = [operation.party()]
    if nnodes is not None and not 0 <= nnodes <= comm.size:
        what = f"nnodes is {nnodes}, but the communicator has {_processes(comm.size)}"
        yield Finding.of("graph-nodes", what, party)
    yield from _nulls(operation, {"index": nnodes})
    for i, (before, count) in enumerate(zip((0, *index), index)):
        if count < before:
            what = f"index[{i}] is {count}, less than the {before} before it"
            yield Finding.of("graph-index", what, party)
    for i, edge in enumerate(_array(operation, "edges")):
        if nnodes is not None and not 0 <= edge < nnodes:
            what = f"edges[{i}] is {edge}, but the nodes are 0 to {nnodes - 1}"
            yield Finding.of("graph-edge", what, party)


def _distributed(operation: Operation, comm: Comm) -> Findings:
    n = _number(operation, "n")
    yield from _degrees(operation, {"n": [n]})
    yield from _nulls(operation, {"sources": n, "degrees": n})
    yield from _degrees(operation, {"degrees": _array(operation, "degrees")})
    yield from _neighbors(operation, comm)
    yield from _weights(operation, "weights")


def _adjacent(operation: Operation, comm: Comm) -> Findings:
    into, out = _number(operation, "indegree"), _number(operation, "outdegree")
    yield from _degrees(operation, {"indegree": [into], "outdegree": [out]})
    yield from _nulls(operation, {"sources": into, "destinations": out})
    yield from _neighbors(operation, comm)
    yield from _weights(operation, "sourceweights", "destweights")


def _degrees(operation: Operation, given: Mapping[str, Sequence[int | None]]) -> Findings:
    for name, values in given.items():
        for i, value in enumerate(values):
            if value is not None and value < 0:
                place = f"{name}[{i}]" if name == "degrees" else name
                what = f"{place} is {value}"
                yield Finding.of("negative-degree", what, [operation.party()], name=place)


def _neighbors(operation: Operation, comm: Comm) -> Findings:
    for name in ("sources", "destinations"):
        for i, rank in enumerate(_array(operation, name)):
            if not 0 <= rank < comm.size:
                what = f"{name}[{i}] is {rank}, but the communicator has {ranks_of(comm.size)}"
                yield Finding.of("neighbor-rank", what, [operation.party()])


def _weights(operation: Operation, *names: str) -> Findings:
    for name in names:
        for i, weight in enumerate(_array(operation, name)):
            if weight < 0:
                what = f"{name}[{i}] is {weight}"
                yield Finding.of("negative-weight", what, [operation.party()], name=name)


def _split(operation: Operation, _: Comm) -> Findings:
    colour = _number(operation, "color")
    if colour is None or colour >= 0:
        return
    if operation.process.around.constant_name(colour, "MPI_UNDEFINED") is None:
        yield Finding.of("negative-colour", f"color is {colour}", [operation.party()])


def _leaders(operation: Operation, comm: Comm) -> Findings:
    local, remote = _number(operation, "local_leader"), _number(operation, "remote_leader")
    yield from _leader(operation, "local_leader", local, comm.size, "local_comm")
    handle = _number(operation, "peer_comm")
    if local != comm.rank or handle is None:
        return  # the others need not say
    peer = operation.process.usable("comm", handle)
    if isinstance(peer, Comm):
        size = peer.remote_size if peer.inter else peer.size
        yield from _leader(operation, "remote_leader", remote, size, "peer_comm")


def _leader(operation: Operation, name: str, rank: int | None, size: int, comm: str) -> Findings:
    if rank is not None and not 0 <= rank < size:
        what = f"{name} is {rank}, but {comm} has {ranks_of(size)}"
        yield Finding.of("leader", what, [operation.party()], comm=comm)


def _processes(size: int) -> str:
    return f"{size} process{'es' * (size != 1)}"


_CHECKS: Mapping[str, Callable[[Operation, Comm], Findings]] = {
    "MPI_Cart_create": _grid,
    "MPI_Cart_map": _grid,
    "MPI_Cart_sub": _part_of_grid,
    "MPI_Cart_rank": _coordinates,
    "MPI_Cart_coords": _coordinates_of,
    "MPI_Cart_shift": _shift,
    "MPI_Cartdim_get": _size_of_grid,
    "MPI_Cart_get": _size_of_grid,
    "MPI_Graphdims_get": _edges,
    "MPI_Graph_get": _edges,
    "MPI_Graph_neighbors_count": _neighbors_of,
    "MPI_Graph_neighbors": _neighbors_of,
    "MPI_Dist_graph_neighbors_count": _distributed_edges,
    "MPI_Dist_graph_neighbors": _distributed_edges,
    "MPI_Graph_create": _graph,
    "MPI_Graph_map": _graph,
    "MPI_Dist_graph_create": _distributed,
    "MPI_Dist_graph_create_adjacent": _adjacent,
    "MPI_Comm_split": _split,
    "MPI_Intercomm_create": _leaders,
}
