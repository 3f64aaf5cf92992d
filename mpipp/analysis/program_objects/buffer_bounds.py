# SPDX-License-Identifier: MIT
"""Check that a buffer ends within the object in which it begins.

See MPI-4.1, sections 3.2.2, 3.2.4 and 5.1.12. A datatype may describe several variables by their
addresses. So a single entry of a datatype with displacements in bytes may reach beyond the object.
"""

from __future__ import annotations

from typing import NamedTuple

from mpipp.analysis.context.buffer_accesses import Access, Entries
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.datatypes import memory
from mpipp.program_types import types
from mpipp.program_types.types import Scalar, Type
from mpipp.render.phrases import Phrase
from mpipp.typetree import Datatype

_END = 1 << 64
_MOST_PARTS = 1000  # parts of a datatype that are checked
_BY_ADDRESS = ("STRUCT", "HINDEXED", "HINDEXED_BLOCK")  # their displacements are in bytes
_STRIDED = ("RESIZED", "VECTOR", "HVECTOR", "SUBARRAY", "DARRAY", "INDEXED", "INDEXED_BLOCK")


class Owner(NamedTuple):
    """The object in which a buffer begins: bytes [low, high).

    Attributes:
        text: its name, with its size: "u (double [4][4], 128 bytes)".
        case: "object"; "container": a std::vector, of which only the elements in use count.
        unit: the type of its elements, or its own type; None: unknown.
        fortran: whether it is a Fortran variable.
    """

    low: int
    high: int
    text: str
    case: str = "object"
    unit: Type | None = None
    fortran: bool = False


def check(access: Access, owner: Owner, party: Party) -> Finding | None:
    """Return the finding for a buffer that exceeds the object in which it begins, or None.

    Args:
        owner: the object with the access's first byte.
        party: the access's operation.
    """
    has_one_type = access.buffer.datatype is not None
    beyond = [one for one in access.entries if _is_certain(one, owner, has_one_type)]
    outside = memory.span(owner.high, _END)
    regions = [memory.region(one.datatype, one.count, one.address) for one in beyond]
    shared = memory.shared(memory.union(regions), outside) if regions else None
    if shared is None:
        return None
    first = shared[0]
    template = "the first element outside is {name}, at {address}"
    details = [Phrase.of(template, name=access.name(first), address=first)]
    details += filter(None, (_other_type(beyond, owner), _stride(beyond, owner)))
    return Finding.of(
        "beyond-object",
        [party.with_details(*details)],
        owner.case,
        procedure=access.operation.call.procedure,
        argument=access.buffer.role,
        variable=owner.text,
    )


def check_start(access: Access, owner: Owner, party: Party) -> Finding | None:
    """Return the finding for displacements that lead before the object at the buffer's address.

    Args:
        owner: the object with the byte at the buffer's address.
        party: the access's operation.
    """
    if access.buffer.datatype is None:  # displacements of a w form may lead to other objects
        return None
    known = [one for one in access.entries if not _has_addresses(one.datatype)]
    regions = [memory.region(one.datatype, one.count, one.address) for one in known]
    shared = memory.shared(memory.union(regions), memory.span(0, owner.low)) if regions else None
    if shared is None:
        return None
    template = "{name} lies at {address}, {bytes} before the buffer"
    distance = access.buffer.address - shared[0]
    detail = Phrase.of(template, name=access.name(shared[0]), address=shared[0], bytes=distance)
    return Finding.of(
        "before-object",
        [party.with_details(detail)],
        procedure=access.operation.call.procedure,
        argument=access.buffer.role,
        variable=owner.text,
    )


def _is_certain(entries: Entries, owner: Owner, has_one_type: bool) -> bool:
    # Return whether entries must be in the object. Displacements of a w form are in bytes and may
    # lead to other objects; those of a v form count elements of one object.
    low = memory.region(entries.datatype, 1, entries.address).low
    if not owner.low <= low < max(owner.high, owner.low + 1):
        return has_one_type and not _has_addresses(entries.datatype)
    tree = entries.datatype
    if not _has_addresses(tree) or _is_of_one_unit(tree, owner):
        return True
    return entries.count > 1 and entries.address + entries.datatype.true_ub <= owner.high


def _is_of_one_unit(tree: Datatype, owner: Owner) -> bool:
    return owner.unit is not None and tree.true_ub - tree.true_lb <= owner.unit.size


def _has_addresses(tree: Datatype) -> bool:
    # A tree with very many parts counts as one with addresses.
    pending, seen = [tree], 0
    while pending and seen < _MOST_PARTS:
        one = pending.pop()
        seen += 1
        if one.combiner in _BY_ADDRESS:
            return True
        pending += one.components
    return bool(pending)


def _other_type(beyond: list[Entries], owner: Owner) -> Phrase | None:
    # The detail for datatype elements that are larger than the variable's elements.
    leaf, scalar = beyond[0].datatype, owner.unit
    while leaf.components and len(leaf.components) == 1:
        leaf = leaf.components[0]
    if not isinstance(scalar, Scalar) or leaf.components or leaf.size <= scalar.size:
        return None
    fits = types.datatype_name(scalar, owner.fortran)
    return Phrase.of(
        "{datatype} has {bytes}, {type_name} has {own_bytes}{clause}",
        datatype=leaf.name or leaf.combiner,
        bytes=leaf.size,
        type_name=scalar.name,
        own_bytes=scalar.size,
        clause=f": {fits} fits" if fits else "",
    )


def _stride(beyond: list[Entries], owner: Owner) -> Phrase | None:
    # The advice for columns of a matrix whose entries are a whole column apart: resize the
    # datatype.
    for one in beyond:
        tree = one.datatype
        first_fits = one.address + tree.true_ub <= owner.high
        if one.count < 2 or not first_fits or tree.combiner not in _STRIDED:
            continue
        block = _block(tree)
        if block and block < tree.extent:
            return Phrase.of(
                "consecutive entries lie {extent} bytes apart, the extent of the datatype: for "
                "entries that lie {block_size} bytes apart, resize it with MPI_Type_create_resized",
                extent=tree.extent,
                block_size=block,
            )
    return None


def _block(tree: Datatype) -> int:
    # Bytes of the first block of a vector; 0 for other datatypes.
    if tree.combiner == "RESIZED":
        tree = tree.components[0]
    inner = tree.components[0].extent if tree.components else 0
    length = tree.arguments.get("blocklength")
    return length * inner if isinstance(length, int) else 0
