# SPDX-License-Identifier: MIT
"""The datatype tree: the description of an MPI datatype, with its size, bounds and extents.

A `Datatype` is one node of the meta type-tree: a combiner, the constructor's arguments and the
component datatypes. Nothing is ever expanded; all arithmetic is on exact integers. The rules are
those of MPI-4.1, sections 5.1.2 to 5.1.9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mpipp.common.errors import MpippError
from mpipp.datatypes import distribution, predefined
from mpipp.datatypes.shapes import Blocks, Level, Regular, Shape

# The arguments of every combiner, by the standard's names without "array_of_".
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "NAMED": (),
    "DUP": (),
    "CONTIGUOUS": ("count",),
    "VECTOR": ("count", "blocklength", "stride"),
    "HVECTOR": ("count", "blocklength", "stride"),
    "INDEXED": ("count", "blocklengths", "displacements"),
    "HINDEXED": ("count", "blocklengths", "displacements"),
    "INDEXED_BLOCK": ("count", "blocklength", "displacements"),
    "HINDEXED_BLOCK": ("count", "blocklength", "displacements"),
    "STRUCT": ("count", "blocklengths", "displacements"),
    "SUBARRAY": ("ndims", "sizes", "subsizes", "starts", "order"),
    "DARRAY": ("size", "rank", "ndims", "gsizes", "distribs", "dargs", "psizes", "order"),
    "RESIZED": ("lb", "extent"),
    "F90_REAL": ("p", "r"),
    "F90_COMPLEX": ("p", "r"),
    "F90_INTEGER": ("r",),
    "VALUE_INDEX": (),
}

_LEAVES = frozenset({"NAMED", "F90_REAL", "F90_COMPLEX", "F90_INTEGER"})
_PER_ENTRY = frozenset({"blocklengths", "displacements"})
_PER_DIMENSION = frozenset({"sizes", "subsizes", "starts", "gsizes", "distribs", "dargs", "psizes"})
_LISTED = _PER_ENTRY | _PER_DIMENSION
_NOT_NEGATIVE = frozenset({"count", "ndims", "blocklength"})


class Extents(NamedTuple):
    """Size, bounds and extents, all in bytes (MPI-4.1, sections 5.1.5 to 5.1.8)."""

    size: int
    lb: int
    extent: int
    true_lb: int
    true_extent: int


class _Facts(NamedTuple):
    # Values computed once for each node. If the type map has an explicit lower bound, `lb_marked`
    # is set, and that bound alone decides. Explicit bounds come from MPI_LB, resized, subarray and
    # darray. The same holds for `ub_marked`.
    extents: Extents
    lb_marked: bool
    ub_marked: bool
    alignment: int
    element_count: int
    depth: int


class Datatype:
    """One datatype: `combiner`, `arguments` (by the standard's names) and `components`.

    Immutable, compared by identity. `reported` is the MPI library's own description of the
    datatype, required for predefined and F90 types. `origin` belongs to the front end and is not
    used here. Raises MpippError if the arguments do not fit the combiner.
    """

    __slots__ = (
        "_facts",
        "_shape",
        "arguments",
        "combiner",
        "components",
        "memory",
        "name",
        "origin",
        "reported",
        "signature",
    )

    def __init__(
        self,
        combiner: str,
        arguments: Mapping[str, Any] | None = None,
        components: tuple[Datatype, ...] = (),
        name: str = "",
        reported: Extents | None = None,
        origin: object = None,
    ) -> None:
        self.combiner = combiner
        self.arguments = {} if arguments is None else arguments
        self.components = components
        self.name = name
        self.reported = reported
        self.origin = origin
        self._facts: _Facts | None = None
        self._shape: Shape[Datatype] | None = None
        self.memory: object = None  # set by `datatypes.memory.footprint`
        self.signature: Any = None  # set by `datatypes.signatures.runlength`
        _validate(self)

    def __repr__(self) -> str:
        return f"<Datatype {self.name or self.combiner}>"

    @property
    def is_leaf(self) -> bool:
        """Return whether this is a basic datatype, without components in the tree."""
        return self.combiner in _LEAVES

    @property
    def is_marker(self) -> bool:
        """Return whether this is MPI_LB or MPI_UB, the removed markers of MPI-1."""
        return self.combiner == "NAMED" and predefined.is_marker(self.name)

    @property
    def extents(self) -> Extents:
        """The extents that the MPI library reported, else the computed ones."""
        return self.reported or self._computed().extents

    @property
    def computed(self) -> Extents:
        """The extents by the standard's rules, from the components' `extents`."""
        return self._computed().extents

    @property
    def size(self) -> int:
        """Bytes of data, without gaps.

        Always computed, because packed positions depend on it, even if MPI reports another size.
        """
        return self._computed().extents.size

    @property
    def lb(self) -> int:
        """Lower bound in bytes."""
        return self.extents.lb

    @property
    def extent(self) -> int:
        """Upper bound minus lower bound, in bytes."""
        return self.extents.extent

    @property
    def ub(self) -> int:
        """Upper bound in bytes."""
        return self.extents.lb + self.extents.extent

    @property
    def true_lb(self) -> int:
        """Displacement in bytes of the first byte of data."""
        return self.extents.true_lb

    @property
    def true_extent(self) -> int:
        """Bytes from the first byte of data to the end of the last."""
        return self.extents.true_extent

    @property
    def true_ub(self) -> int:
        """Displacement in bytes of the end of the last byte of data."""
        return self.extents.true_lb + self.extents.true_extent

    @property
    def element_count(self) -> int:
        """Basic elements of the type map, two in a pair type, as MPI_Get_elements counts them."""
        return self._computed().element_count

    @property
    def depth(self) -> int:
        """Levels of constructors above the basic datatypes; 0 for a basic datatype."""
        return self._computed().depth

    @property
    def shape(self) -> Shape[Datatype]:
        """The places of the components. Raises MpippError for a basic datatype, which has none."""
        if self._shape is None:
            if self.is_leaf:
                raise MpippError(f"{self!r} is a basic datatype and has no components")
            self._shape = _shape(self)
        return self._shape

    def _computed(self) -> _Facts:
        if self._facts is None:
            # Components first, without recursion: a chain of constructors may be very long.
            pending = [self]
            while pending:
                node = pending[-1]
                unknown = [c for c in node.components if c._facts is None]
                if unknown:
                    pending.extend(set(unknown))
                else:
                    pending.pop()
                    node._facts = _leaf_facts(node) if node.is_leaf else _derived_facts(node)
        assert self._facts is not None
        return self._facts


def named(name: str, extents: Extents) -> Datatype:
    """The predefined datatype `name` ("MPI_INT") with the extents its MPI library reports."""
    return Datatype("NAMED", name=name, reported=extents)


def _shape(node: Datatype) -> Shape[Datatype]:
    # Uses only the constructor's arguments (MPI-4.1, sections 5.1.2 to 5.1.4).
    get, combiner = node.arguments.__getitem__, node.combiner
    if combiner == "STRUCT":
        return Blocks(node.components, get("blocklengths"), get("displacements"), 1)
    component = node.components[0]
    if combiner == "VALUE_INDEX":
        return Blocks(node.components, (1, 1), (0, _index_displacement(node)), 1)
    if combiner == "CONTIGUOUS":
        return Regular(component, (Level.of(get("count"), component.extent),))
    if combiner in ("DUP", "RESIZED"):
        return Regular(component, (Level.of(1, component.extent),))
    if combiner in ("VECTOR", "HVECTOR"):
        unit = 1 if combiner == "HVECTOR" else component.extent
        blocks = Level.of(get("count"), get("stride") * unit)
        return Regular(component, (blocks, Level.of(get("blocklength"), component.extent)))
    if combiner in ("SUBARRAY", "DARRAY"):
        return _grid(node, component)
    unit = 1 if combiner.startswith("H") else component.extent
    lengths = (get("blocklength"),) if combiner.endswith("BLOCK") else get("blocklengths")
    return Blocks(node.components, lengths, get("displacements"), unit)


def _index_displacement(node: Datatype) -> int:
    # The index is the pair's last part. If MPI did not report the layout, it follows C's struct
    # rules.
    value, index = node.components
    if node.reported is not None:
        return node.reported.true_lb + node.reported.true_extent - index.size
    return value.true_ub + -value.true_ub % index._computed().alignment


def _grid(node: Datatype, component: Datatype) -> Regular[Datatype]:
    get = node.arguments.__getitem__
    if node.combiner == "SUBARRAY":
        sizes = get("sizes")
        dimensions = distribution.subarray_dimensions(get("subsizes"), get("starts"))
    else:
        sizes = get("gsizes")
        dimensions = distribution.darray_dimensions(
            get("rank"), sizes, get("distribs"), get("dargs"), get("psizes")
        )
    order = get("order")
    strides = []
    stride = component.extent
    for size in sizes if order == "FORTRAN" else reversed(sizes):
        strides.append(stride)
        stride *= size
    if order != "FORTRAN":
        strides.reverse()
    return Regular(component, tuple(map(Level, dimensions, strides)), order)


def _leaf_facts(node: Datatype) -> _Facts:
    extents = node.reported
    assert extents is not None  # checked by `_validate`
    marker = node.is_marker
    kind = predefined.F90_CLASSES.get(node.combiner, node.name)
    alignment = 1 if marker else predefined.alignment(kind, extents.size)
    lb_marked = marker and node.name == "MPI_LB"
    elements = 0 if marker else 2 if predefined.value_class(node.name) == "pair" else 1
    return _Facts(extents, lb_marked, marker and not lb_marked, alignment, elements, 0)


def _derived_facts(node: Datatype) -> _Facts:
    size = elements = 0
    totals: dict[Datatype, int] = {}  # 10^5 blocks may have few different components
    for component, copies in node.shape.copies():
        totals[component] = totals.get(component, 0) + copies
    for component, copies in totals.items():
        size += copies * component.size
        elements += copies * component.element_count
    bounds = _Bounds()
    for component, low, high in node.shape.spans():
        bounds.add(component, low, high)
    lb, ub = bounds.lb(), bounds.ub()
    lb_marked, ub_marked = bounds.marked_lb is not None, bounds.marked_ub is not None
    if node.combiner == "RESIZED":
        lb = node.arguments["lb"]
        ub = lb + node.arguments["extent"]
        lb_marked = ub_marked = True
    elif node.combiner in ("SUBARRAY", "DARRAY"):
        lb, ub = 0, node.components[0].extent
        for length in node.arguments["sizes" if node.combiner == "SUBARRAY" else "gsizes"]:
            ub *= length
        lb_marked = ub_marked = True
    elif node.combiner in ("STRUCT", "VALUE_INDEX") and not ub_marked and elements:
        # The epsilon of MPI-4.1, section 5.1.6: an array of these keeps its members aligned.
        ub += -(ub - lb) % bounds.alignment
    true_lb, true_ub = bounds.data_low or 0, bounds.data_high or 0
    extents = Extents(size, lb, ub - lb, true_lb, true_ub - true_lb)
    depth = 1 + max((c.depth for c in set(node.components)), default=0)
    return _Facts(extents, lb_marked, ub_marked, bounds.alignment, elements, depth)


class _Bounds:
    # Collects the bounds of the parts of a type map. A marker anywhere overrides all plain bounds
    # (MPI-4.1, section 5.1.6).

    def __init__(self) -> None:
        self.plain_lb: int | None = None
        self.plain_ub: int | None = None
        self.marked_lb: int | None = None
        self.marked_ub: int | None = None
        self.data_low: int | None = None
        self.data_high: int | None = None
        self.alignment = 1

    def add(self, component: Datatype, low: int, high: int) -> None:
        facts = component._computed()
        if facts.lb_marked:
            self.marked_lb = _least(self.marked_lb, low + component.lb)
        if facts.ub_marked:
            self.marked_ub = _most(self.marked_ub, high + component.ub)
        if facts.element_count:
            self.plain_lb = _least(self.plain_lb, low + component.lb)
            self.plain_ub = _most(self.plain_ub, high + component.ub)
            self.data_low = _least(self.data_low, low + component.true_lb)
            self.data_high = _most(self.data_high, high + component.true_ub)
            self.alignment = max(self.alignment, facts.alignment)

    def lb(self) -> int:
        bound = self.plain_lb if self.marked_lb is None else self.marked_lb
        return bound or 0

    def ub(self) -> int:
        bound = self.plain_ub if self.marked_ub is None else self.marked_ub
        return bound or 0


def _least(bound: int | None, value: int) -> int:
    return value if bound is None else min(bound, value)


def _most(bound: int | None, value: int) -> int:
    return value if bound is None else max(bound, value)


def _validate(node: Datatype) -> None:
    names = ARGUMENTS.get(node.combiner)
    if names is None:
        raise MpippError(f"{node.combiner} is not a combiner of an MPI datatype")
    values = node.arguments
    for name in names:
        value = values.get(name)
        if value is None:
            raise MpippError(f"{_made(node)} is recorded without its argument {name}")
        if name in _LISTED:
            _validate_list(node, name, value)
        elif name in _NOT_NEGATIVE and value < 0:
            raise MpippError(f"{_made(node)} has a negative {name}, {value}")
    if node.combiner == "STRUCT":
        expected = values["count"]
    else:
        expected = 0 if node.combiner in _LEAVES else 2 if node.combiner == "VALUE_INDEX" else 1
    if len(node.components) != expected:
        raise MpippError(
            f"{_made(node)} has {len(node.components)} component datatypes, "
            f"but {expected} were expected"
        )
    if node.reported is None and node.combiner in _LEAVES:
        raise MpippError(f"{node.name or _made(node)} needs the extents its MPI library reports")


def _validate_list(node: Datatype, name: str, value: Sequence[Any]) -> None:
    length = node.arguments["count" if name in _PER_ENTRY else "ndims"]
    if len(value) != length:
        raise MpippError(f"{_made(node)} has {len(value)} {name}, but {length} were expected")
    if name == "blocklengths" and length and min(value) < 0:
        raise MpippError(f"{_made(node)} has a negative blocklength, {min(value)}")


def _made(node: Datatype) -> str:
    return f"a datatype made by {node.combiner}"
