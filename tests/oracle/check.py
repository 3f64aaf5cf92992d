# SPDX-License-Identifier: MIT
"""Compares mpipp's arithmetic with MPI's own on random datatypes.

Run by an interpreter with mpi4py: `python -m tests.oracle.check --seed S --count N`. Prints the
differences, and exits with 1 if there are any. `differences.py` lists the cases in which the
library itself departs from the standard. Such cases are counted, but are no failures.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import sys
from collections.abc import Callable, Iterator
from typing import Any

from mpi4py import MPI

from mpipp.api.from_mpi4py import from_mpi4py
from mpipp.common.errors import AddressError, UnreadableMemory
from mpipp.common.text.sanitize import escape
from mpipp.datatypes import element_address, predefined
from mpipp.datatypes import signatures as typesig
from mpipp.datatypes.signatures import matching, runlength
from mpipp.datatypes.values.nodes import Node, buffer
from mpipp.render.nested_text import Walker
from mpipp.render.print_settings import Limits
from mpipp.render.value_text import values_text
from mpipp.typetree import Datatype
from tests.expanded import children
from tests.oracle import differences
from tests.oracle.generate import Generator

WIDEST = 1 << 16  # bytes of memory for a packed datatype
MOST_DATA = 4000
# Only one in this many datatypes is searched at every displacement, because this is slow.
SEARCHED = 10
Report = Callable[[str, str], None]


def unreported(tree: Datatype) -> Datatype:
    """`tree` with only the reported facts of its leaves, so that all others are computed."""
    if tree.is_leaf:
        return tree
    parts = tuple(map(unreported, tree.components))
    return Datatype(tree.combiner, tree.arguments, parts, tree.name)


def pack(datatype: Any, address: int, size: int) -> bytes:
    """The packed data of one `datatype` at `address`.

    It is sent as a message, because MPI.Datatype.Pack of mpi4py rejects a negative lower bound.
    """
    out = bytearray(size)
    absolute = MPI.Datatype.Create_struct([1], [address], [datatype]).Commit()
    MPI.COMM_SELF.Sendrecv([MPI.BOTTOM, 1, absolute], 0, 0, [out, size, MPI.PACKED], 0, 0)
    absolute.Free()
    return bytes(out)


def packed_map(datatype: Any, tree: Datatype) -> list[int]:
    """The memory displacement of every packed byte, from MPI: two packs of numbered bytes."""
    low, length = tree.true_lb, tree.true_extent
    parts = []
    for shift in (0, 8):
        memory = ctypes.create_string_buffer(bytes(i >> shift & 255 for i in range(length)), length)
        parts.append(pack(datatype, ctypes.addressof(memory) - low, tree.size))
    return [low + a + 256 * b for a, b in zip(*parts)]


def type_map(tree: Datatype, base: int = 0) -> Iterator[tuple[int, Datatype]]:
    """Every basic element with its displacement, by plain recursion."""
    if tree.is_leaf:
        yield base, tree
    for _, component, displacement in children(tree) if not tree.is_leaf else ():
        yield from type_map(component, base + displacement)


def element_bytes(displacement: int, leaf: Datatype) -> list[int]:
    """The displacements of the packed bytes of one element. A pair type may have a gap."""
    if predefined.value_class(leaf.name) != "pair":
        return list(range(displacement, displacement + leaf.size))
    value, index, offset = predefined.pair_layout(leaf.name, leaf.size)
    parts = (range(value), range(offset, offset + index))
    return [displacement + i for part in parts for i in part]


def check_extents(tree: Datatype, library: str, report: Report) -> bool:
    """Compare the computed extents. Returns whether to pack the datatype as well."""
    if tree.computed != tree.reported:
        known = differences.explained(tree, library)
        report(f"known: {known}" if known else "extents", f"{tree.computed}\n  {tree.reported}")
        return not known
    bare = unreported(tree)
    if bare.computed != tree.reported and not differences.explained_below(tree, library):
        report("extents from the leaves", f"{bare.computed}\n  {tree.reported}")
    return True


def check_pack(datatype: Any, tree: Datatype, library: str, report: Report) -> bool:
    """Compare displacements and order with MPI's packing, and the searches with both.

    Returns whether the packing is equal.
    """
    truth = packed_map(datatype, tree)
    ours: list[int] = []
    ignored: set[int] = set()
    for position, (displacement, leaf) in enumerate(type_map(tree)):
        packed = len(ours)
        element = element_address.at_packed(tree, packed)
        if (element.displacement, element.packed) != (displacement, packed):
            report("at_packed", f"element {position}: {element}, expected {displacement}")
        again = element_address.resolve(tree, element_address.parse(element.path))
        if again != element:
            report("resolve", f"{element.path} gives {again.path}")
        found = element_address.at_displacement(tree, displacement)
        if len(found) < 64 and element not in found:
            report("at_displacement", f"{displacement} gives {[e.path for e in found]}")
        ours += element_bytes(displacement, leaf)
        if "LONG_DOUBLE" in leaf.name:
            # MPICH copies the 10 bytes of the number, but not the padding.
            ignored.update(range(displacement + 10, displacement + 16))
    same = len(ours) == len(truth) and all(a == b for a, b in zip(ours, truth) if a not in ignored)
    if not same and library == "Open MPI" and len(set(ours)) < len(ours):
        report("known: Open MPI, packing of a self-overlap", "")
    elif not same:
        report("pack order", f"{ours}\n  MPI {truth}")
    return same


def check_search(tree: Datatype, report: Report) -> None:
    """Compare every displacement, including gaps, with a plain walk of two entries."""
    covered: dict[int, set[int]] = collections.defaultdict(set)
    starts = set()
    for repetition in range(2):
        for displacement, leaf in type_map(tree, repetition * tree.extent):
            starts.add(displacement)
            for i in range(leaf.true_extent):
                covered[displacement + i].add(displacement)
    for offset in range(min(covered) - 2, max(covered) + 3):
        try:
            found = {e.displacement for e in element_address.at_displacement(tree, offset, 2)}
        except AddressError as error:
            found = set()
            before = max((s for s in starts if s <= offset), default=None)
            after = min((s for s in starts if s > offset), default=None)
            if after is not None and f" at {after}" not in str(error):
                report("gap", f"{offset}: {error}; expected {before} and {after}")
        if found != covered.get(offset, set()):
            report("covering", f"{offset}: {found}, expected {covered.get(offset)}")


class Bytes:
    """Memory with `data` at address `base`."""

    def __init__(self, base: int, data: bytes) -> None:
        self.base = base
        self.data = data

    def read(self, address: int, length: int) -> bytes:
        start = address - self.base
        if start < 0 or start + length > len(self.data):
            raise UnreadableMemory(address, length)
        return self.data[start : start + length]


def leaf_texts(node: Node) -> Iterator[str]:
    if node.kind == "scalar":
        yield node.text()
    elif node.kind == "text":
        yield from (f"'{escape(c, chr(39))}'" for c in node.characters(0, node.count))
    else:
        for i in range(node.count):
            yield from leaf_texts(node.child(i))


def check_values(datatype: Any, tree: Datatype, report: Report, seed: int) -> None:
    """Check that the shown values equal the packed data, decoded element by element."""
    low, length = tree.true_lb, tree.true_extent
    data = bytes((seed * 7 + i * 37 + (i >> 3) * 11) & 127 for i in range(length))
    memory = ctypes.create_string_buffer(data, length)
    address = ctypes.addressof(memory)
    packed = pack(datatype, address - low, tree.size)
    expected = []
    position = 0
    for _, leaf in type_map(tree):
        raw = packed[position : position + leaf.size]
        position += leaf.size
        if predefined.value_class(leaf.name) == "pair":
            value, index = predefined.pair_leaves(leaf.name, leaf.size)
            expected += [value.text(raw[: value.size]), index.text(raw[value.size :])]
        else:
            name = predefined.F90_CLASSES.get(leaf.combiner, leaf.name)
            expected.append(predefined.leaf(name, leaf.size).text(raw))
    node = buffer(Bytes(address, data), address - low, 1, tree)
    shown = list(leaf_texts(node))
    if sorted(shown) != sorted(expected) or (not _reorders(tree) and shown != expected):
        report("values", f"{shown}\n  MPI {expected}")
    quick = values_text(node, Limits(elements=0, repeats=0))
    for text in set(shown):
        if text[0] != "'" and text not in quick:
            report("text", f"{text} is not in {quick}")


def _reorders(tree: Datatype) -> bool:
    # Values are nested in the declared order of dimensions, which for Fortran is not type-map
    # order.
    if tree.arguments.get("order") == "FORTRAN":
        return True
    return any(map(_reorders, tree.components))


def check_signature(tree: Datatype, report: Report) -> None:
    """Compare the signature of two entries with the basic types in the order of MPI's packing."""
    kinds: list[str] = []
    for _, leaf in 2 * list(type_map(tree)):
        if predefined.value_class(leaf.name) == "pair":
            kinds += typesig.pair_kinds(leaf.name)
        else:
            kinds.append(typesig.signature(leaf).at(0)[0].kind)
    found = typesig.signature(tree, 2)
    if (found.elements, found.size) != (len(kinds), 2 * tree.size):
        report("signature", f"{found}, {found.size} bytes; expected {len(kinds)}, {2 * tree.size}")
        return
    plain = typesig.concatenate(
        typesig.Signature(((runlength.basic(kind, 1), 1),)) for kind in kinds
    )
    if matching.compare(found, plain).verdict != "match":
        report("signature", f"{kinds} expected; {matching.compare(found, plain)}")


def check_elements(datatype: Any, tree: Datatype, library: str, report: Report) -> None:
    """Compare the number of basic elements with MPI_Get_elements."""
    if library == "MPICH" or tree.is_leaf:
        # MPICH's call aborts, see differences.py. Open MPI counts one for MPI_DOUBLE_INT itself,
        # but two for a copy of it.
        return
    status = MPI.Status()
    status.Set_elements(MPI.BYTE, tree.size)
    counted = status.Get_elements(datatype)
    if counted != tree.element_count:
        report("elements", f"{tree.element_count}, MPI {counted}")


def check(datatype: Any, tree: Datatype, library: str, report: Report, seed: int) -> None:
    sound = check_extents(tree, library, report)
    if not sound or not tree.size or differences.explained_below(tree, library):
        return
    check_elements(datatype, tree, library, report)
    if tree.true_extent > WIDEST or tree.size > MOST_DATA:
        return
    report("packed", "")
    if check_pack(datatype, tree, library, report):
        check_values(datatype, tree, report, seed)
        check_signature(tree, report)
    if seed % SEARCHED == 0 and tree.true_extent < 600 and tree.size < 300:
        check_search(tree, report)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--show", type=int, default=3)
    options = parser.parse_args()
    library = "MPICH" if "MPICH" in MPI.Get_library_version() else "Open MPI"
    kinds: collections.Counter[str] = collections.Counter()
    combiners: collections.Counter[str] = collections.Counter()
    for number in range(options.seed, options.seed + options.count):
        generator = Generator(number)
        datatype = generator.datatype(1 + number % options.depth)
        if not datatype.is_predefined:
            datatype.Commit()
        tree = from_mpi4py(datatype)

        def report(kind: str, what: str, number: int = number, tree: Datatype = tree) -> None:
            kinds[kind] += 1
            if kinds[kind] <= options.show and what and not kind.startswith("known"):
                print(f"seed {number}: {kind}: {what}\n  {Walker(Limits(elements=0)).text(tree)}")

        combiners[tree.combiner] += 1
        check(datatype, tree, library, report, number)
        generator.free()
    print(f"{options.count} datatypes:", ", ".join(f"{n} {k}" for k, n in combiners.items()))
    print(f"{kinds.pop('packed', 0)} packed by MPI and compared element by element")
    for kind, count in sorted(kinds.items()):
        print(f"{kind}: {count}")
    failures = sum(count for kind, count in kinds.items() if not kind.startswith("known"))
    print(f"{failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
