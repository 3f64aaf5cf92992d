# SPDX-License-Identifier: MIT
"""Check of the arguments of calls that create communicators or use topologies.

Process grids and graphs (MPI-4.1, section 8.5), colours of MPI_Comm_split (section 7.4.2), leaders
of an intercommunicator's groups (section 7.6.2), and neighborhoods (section 8.6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from mpipp.analysis.calls.argument_messages import missing_arrays, ranks_of
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.model import Comm


def check(process: Process) -> Findings:
    """Yield the first error of every call that creates a communicator or uses a topology."""
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
            parties = [operation.party(), *_comm_party(operation, comm)]
            yield Finding.of("no-neighbors", parties, procedure=call.procedure)
        elif check_one is not None:
            yield from islice(check_one(operation, comm), 1)


def _comm_party(operation: Operation, comm: Comm) -> list[Party]:
    return [] if comm.header.predefined else [operation.process.object_party(comm)]


def _number(operation: Operation, name: str) -> int | None:
    value = operation.call.arguments.get(name)
    return value if isinstance(value, int) else None


def _array(operation: Operation, name: str) -> Sequence[int]:
    # The entries of an array argument; empty if it is a null pointer or unreadable.
    value = operation.call.arguments.get(name)
    return value if isinstance(value, tuple) else ()


def _nulls(operation: Operation, lengths: Mapping[str, int | None]) -> Findings:
    for facts in missing_arrays(operation.call.arguments, lengths):
        yield Finding.of("null-neighbors", [operation.party()], **facts)


def _grid(operation: Operation, comm: Comm) -> Findings:
    ndims, dims = _number(operation, "ndims"), _array(operation, "dims")
    party = [operation.party()]
    if ndims is not None and ndims < 0:
        yield Finding.of("negative-dimensions", party, number=ndims)
    yield from _nulls(operation, {"dims": ndims, "periods": ndims})
    for i, size in enumerate(dims):
        if size < 0:
            yield Finding.of("negative-dimension", party, index=i, number=size)
    wanted = math.prod(dims)
    if wanted > comm.size:
        yield Finding.of("grid-too-large", party, count=comm.size, wanted_count=wanted)


def _sizes(operation: Operation) -> Findings:
    nnodes, dims = _number(operation, "nnodes"), _array(operation, "dims")
    party, ndims = [operation.party()], _number(operation, "ndims")
    numbers = {"nnodes": nnodes, "ndims": ndims, **{f"dims[{i}]": n for i, n in enumerate(dims)}}
    for name, number in numbers.items():
        if number is not None and number < 0:
            yield Finding.of("grid-numbers", party, argument=name, number=number)
    yield from _nulls(operation, {"dims": ndims})
    given = math.prod(size for size in dims if size)
    if nnodes is not None and nnodes % given:
        yield Finding.of("grid-rest", party, count=nnodes, product_number=given)


def _needs(operation: Operation, comm: Comm, topology: str, rule: str) -> Findings:
    if comm.topology != topology:
        has = {"none": "none", "cartesian": "a Cartesian one"}.get(
            comm.topology, f"a {comm.topology}"
        )
        kind = "Cartesian" if topology == "cartesian" else topology
        yield Finding.of(
            rule,
            [operation.party(), *_comm_party(operation, comm)],
            procedure=operation.call.procedure,
            kind=kind,
            noun=has,
        )


def _part_of_grid(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-grid")


def _size_of_grid(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-coordinates")


def _coordinates(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-coordinates")
    yield from _nulls(operation, {"coords": len(comm.dims)})
    parties = [operation.party(), *_comm_party(operation, comm)]
    for i, (at, size, periodic) in enumerate(
        zip(_array(operation, "coords"), comm.dims, comm.periods)
    ):
        if not periodic and not 0 <= at < size:
            yield Finding.of("coordinate", parties, index=i, offset=at, count=size)


def _coordinates_of(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-coordinates")
    yield from _rank(operation, comm)


def _shift(operation: Operation, comm: Comm) -> Findings:
    yield from _needs(operation, comm, "cartesian", "no-shift")
    direction, ndims = _number(operation, "direction"), len(comm.dims)
    if direction is not None and not 0 <= direction < ndims:
        parties = [operation.party(), *_comm_party(operation, comm)]
        noun = "dimension" if ndims == 1 else "dimensions"
        yield Finding.of("grid-direction", parties, number=direction, count=ndims, noun=noun)


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
        parties = [operation.party(), *_comm_party(operation, comm)]
        yield Finding.of("topology-rank", parties, number=rank, ranks=ranks_of(comm.size))


def _graph(operation: Operation, comm: Comm) -> Findings:
    nnodes, index = _number(operation, "nnodes"), _array(operation, "index")
    party = [operation.party()]
    if nnodes is not None and not 0 <= nnodes <= comm.size:
        noun = "process" if comm.size == 1 else "processes"
        yield Finding.of("graph-nodes", party, number=nnodes, count=comm.size, noun=noun)
    yield from _nulls(operation, {"index": nnodes})
    for i, (before, count) in enumerate(zip((0, *index), index)):
        if count < before:
            yield Finding.of("graph-index", party, index=i, number=count, first_number=before)
    for i, edge in enumerate(_array(operation, "edges")):
        if nnodes is not None and not 0 <= edge < nnodes:
            yield Finding.of("graph-edge", party, index=i, number=edge, last_number=nnodes - 1)


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
                yield Finding.of(
                    "negative-degree", [operation.party()], argument=place, number=value
                )


def _neighbors(operation: Operation, comm: Comm) -> Findings:
    for name in ("sources", "destinations"):
        for i, rank in enumerate(_array(operation, name)):
            if not 0 <= rank < comm.size:
                yield Finding.of(
                    "neighbor-rank",
                    [operation.party()],
                    argument=name,
                    index=i,
                    number=rank,
                    ranks=ranks_of(comm.size),
                )


def _weights(operation: Operation, *names: str) -> Findings:
    for name in names:
        for i, weight in enumerate(_array(operation, name)):
            if weight < 0:
                yield Finding.of(
                    "negative-weight", [operation.party()], argument=name, index=i, number=weight
                )


def _split(operation: Operation, _: Comm) -> Findings:
    colour = _number(operation, "color")
    if colour is None or colour >= 0:
        return
    if operation.process.around.constant_name(colour, "MPI_UNDEFINED") is None:
        yield Finding.of("negative-colour", [operation.party()], number=colour)


def _leaders(operation: Operation, comm: Comm) -> Findings:
    local, remote = _number(operation, "local_leader"), _number(operation, "remote_leader")
    yield from _leader(operation, "local_leader", local, comm.size, "local_comm")
    handle = _number(operation, "peer_comm")
    if local != comm.rank or handle is None:
        return  # remote_leader is significant only in the local leader
    peer = operation.process.usable("comm", handle)
    if isinstance(peer, Comm):
        size = peer.remote_size if peer.inter else peer.size
        yield from _leader(operation, "remote_leader", remote, size, "peer_comm")


def _leader(operation: Operation, name: str, rank: int | None, size: int, comm: str) -> Findings:
    if rank is not None and not 0 <= rank < size:
        yield Finding.of(
            "leader",
            [operation.party()],
            argument=name,
            number=rank,
            comm_argument=comm,
            ranks=ranks_of(size),
        )


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
