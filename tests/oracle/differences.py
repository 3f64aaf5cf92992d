# SPDX-License-Identifier: MIT
"""Deviations of the MPI libraries from the standard's bounds, with the evidence.

Seen with MPICH 5.0.2 and Open MPI 5.0.11 through mpi4py; each line names the smallest case.

Both, empty type maps: the standard gives them no bounds (0 here). MPICH takes the displacements of
blocks without elements into account: vector(3, 0, 1, MPI_INT) has extent 8. Open MPI reports a true
lower bound of 2**63 - 1 if all components are empty: vector(1, 2, 6, struct of nothing).

MPICH, markers: MPI_Type_create_resized, subarray and darray set bounds. In a struct they do not
override the bounds of the other members, as they should (MPI-4.1, section 5.1.6). So struct(1
resized(0, 8, MPI_INT) at 0, 1 MPI_DOUBLE at 100) has extent 112; Open MPI says 8. MPICH 4.0.2
treats MPI_LB and MPI_UB of a nested datatype the same way.

MPICH, padding: a struct with members at misaligned displacements is not padded to its alignment.

MPICH, darray: the true lower bound of a cyclic darray may be too low, though the right data is
packed. An example is process 3 of 3 x 2, gsizes 5 x 5, cyclic(3) x cyclic(1), MPI_FLOAT, C order.
It packs elements 16, 18, 21 and 23, but has true lower bound 60.

Open MPI, padding: every constructor pads as only struct should, and it pads after each member. So
hindexed of MPI_LONG_DOUBLE at bytes 2, 11, 9 has extent 48 for 41 bytes.

Open MPI, stride -1: it treats a stride of -1 byte as "contiguous". vector(4, 3, -1, MPI_BYTE) has
lower bound 0 and extent 12; the standard says -3 and 6.

MPICH, MPI_Get_elements: for many datatypes it fails an assertion (get_elements_x.c, line 233),
divides by zero or returns MPI_UNDEFINED. An example is resized(0, 8) of struct(2 MPI_BYTE, 3
MPI_C_BOOL). So it is not called.

Open MPI, packing of a self-overlap: X is hindexed_block(3, {32}, resized(0, 8,
MPI_DOUBLE_COMPLEX)). contiguous(3, X) is packed right, but struct(2 MPI_BYTE at 48, 3 X at 104)
packs the first element of X nine times.
"""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.typetree import Datatype, Extents, named


def explained(tree: Datatype, library: str) -> str:
    """The reason why MPI's extents of this node differ from the computed ones, or ""."""
    if tree.is_leaf:
        return ""
    if tree.size == 0 or any(_empty_parts(tree)):
        return "parts without data"
    assert tree.reported is not None
    if library == "MPICH":
        if tree.combiner == "DARRAY" and _same_but_wider(tree.computed, tree.reported):
            return "MPICH, darray"
        if tree.combiner != "STRUCT":
            return ""
        plain = _without_markers(tree).computed
        if _same_but_padding(plain, tree.reported):
            marked = any(component._computed().lb_marked for component in tree.components)
            return "MPICH, markers" if marked else "MPICH, padding"
        return ""
    if _minus_one(tree):
        return "Open MPI, stride -1"
    if _same_but_padding(tree.computed, tree.reported):
        return "Open MPI, padding"
    return ""


def explained_below(tree: Datatype, library: str) -> bool:
    """Return whether a node below this one has extents that differ."""
    return any(
        (node.computed != node.reported and explained(node, library))
        or (library != "MPICH" and _minus_one(node))
        for node in _nodes(tree)
    )


def _nodes(tree: Datatype) -> Iterator[Datatype]:
    yield tree
    for component in tree.components:
        yield from _nodes(component)


def _empty_parts(tree: Datatype) -> Iterator[bool]:
    for component, copies in tree.shape.copies():
        yield not copies or not component.size
    yield 0 in tree.arguments.get("blocklengths", ())


def _without_markers(tree: Datatype) -> Datatype:
    # The node computed from components with the bounds of the library, without markers.
    assert all(component.reported for component in tree.components)
    parts = tuple(named("", component.extents) for component in tree.components)
    return Datatype(tree.combiner, tree.arguments, parts)


def _same_but_padding(computed: Extents, reported: Extents) -> bool:
    # Each member may move the end by at most one alignment (16).
    return (computed.size, computed.lb, computed.true_lb, computed.true_extent) == (
        reported.size,
        reported.lb,
        reported.true_lb,
        reported.true_extent,
    ) and abs(computed.extent - reported.extent) <= 32


def _same_but_wider(computed: Extents, reported: Extents) -> bool:
    return (
        (computed.size, computed.lb, computed.extent)
        == (reported.size, reported.lb, reported.extent)
        and reported.true_lb <= computed.true_lb
        and reported.true_lb + reported.true_extent >= computed.true_lb + computed.true_extent
    )


def _minus_one(tree: Datatype) -> bool:
    if tree.combiner == "HVECTOR":
        return bool(tree.arguments["stride"] == -1)
    if tree.combiner == "VECTOR":
        return bool(tree.arguments["stride"] * tree.components[0].extent == -1)
    return any(component.extent == -1 for component in tree.components)
