# SPDX-License-Identifier: MIT
"""Element addresses: `s_type(STRUCT)[2][5](CHAR)` names an element of a datatype.

An address follows the expanded type-tree from the root. Contiguous, dup and resized take one index,
a subarray one for each dimension, all other constructors two: block and item. A kind in parentheses
helps the reader; mpipp checks it. If there is one index more than the tree has levels, the first
index selects the entry of the buffer. Displacements, positions and sizes are in bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from mpipp.common.errors import AddressError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes import displacement_search
from mpipp.datatypes.shapes import Indices
from mpipp.typetree import Datatype

_TOKEN = re.compile(r"\s*(?:\[\s*(?P<index>[-+]?\d+)\s*\]|\(\s*(?P<kind>\w+)\s*\))")
_MOST_FOUND = 64
_LONGEST_INDEX = 1000  # digits; Python converts only some thousand

_OF_ONE = ("DUP", "RESIZED")  # combiners of datatypes with a single child

# Other names of the same predefined datatype.
ALIASES = {"LONG_LONG_INT": "LONG_LONG", "C_FLOAT_COMPLEX": "C_COMPLEX"}


@dataclass(frozen=True)
class ParsedAddress:
    """A parsed address: its indices, and each (KIND) with the number of indices before it."""

    indices: Indices
    kinds: tuple[tuple[int, str], ...]


@dataclass(frozen=True, repr=False)
class Element:
    """A place in the expanded type-tree of a datatype: a basic element or a part of the tree.

    Attributes:
        repetition: the entry of the buffer.
        steps: the nodes from the root to this place, with the indices taken in each.
        datatype: the datatype at this place. If the last node got too few indices, it is that node.
        prefix: these too few indices: (3,) in a struct is its block 3.
        displacement: bytes from the start of the buffer in memory.
        packed: bytes from the start of the packed data.
        size: bytes of data.
    """

    repetition: int
    steps: tuple[tuple[Datatype, Indices], ...]
    datatype: Datatype
    prefix: Indices
    displacement: int
    packed: int
    size: int

    def __repr__(self) -> str:
        return f"<Element {self.path} at {self.displacement}>"

    @property
    def indices(self) -> Indices:
        """All indices except the repetition."""
        return tuple(index for _, indices in self.steps for index in indices)

    @property
    def is_basic(self) -> bool:
        """Return whether this is one element of a basic datatype."""
        return self.datatype.is_leaf

    @property
    def content(self) -> tuple[tuple[int, ...], Datatype]:
        """The counts of the dimensions that got no index, and the datatype of their items."""
        if not self.prefix:
            return (), self.datatype
        shape, indices, lengths = self.datatype.shape, self.prefix, []
        while len(indices) < shape.stages:
            lengths.append(shape.branching(indices))
            indices += (0,)
        return tuple(lengths), shape.component(indices)

    @property
    def path(self) -> str:
        """The long form of the address, as in `[1](STRUCT)[2][5](CHAR)`."""
        path = f"[{self.repetition}]" if self.repetition else ""
        path += "".join(f"({kind(node)}){_brackets(indices)}" for node, indices in self.steps)
        return path if self.prefix else f"{path}({kind(self.datatype)})"

    @property
    def short_path(self) -> str:
        """The short form of the address, as in `[1][2][5]`."""
        return _brackets(((self.repetition,) if self.repetition else ()) + self.indices)


def kind(datatype: Datatype) -> str:
    """Return a node's name in an address: its combiner, or the predefined name without MPI_."""
    if datatype.combiner != "NAMED":
        return datatype.combiner
    return datatype.name[4:] if datatype.name.startswith("MPI_") else datatype.name


def parse(text: str) -> ParsedAddress:
    """Parse the address in `text`, from its first "[" or "(" on. Raises AddressError."""
    start = re.search(r"[\[(]|$", text)
    assert start is not None
    position = start.start()
    end = len(text.rstrip())
    indices: list[int] = []
    kinds: list[tuple[int, str]] = []
    while position < end:
        token = _TOKEN.match(text, position)
        if token is None:
            raise AddressError(
                f'cannot read "{text[position:].strip()}" in the address "{text.strip()}": '
                "write [index] and (KIND) only"
            )
        if token["index"] is not None:
            if len(token["index"]) > _LONGEST_INDEX:
                raise AddressError(
                    f"an index of {len(token['index'])} digits is out of range of any datatype"
                )
            indices.append(int(token["index"]))
        else:
            kinds.append((len(indices), token["kind"]))
        position = token.end()
    return ParsedAddress(tuple(indices), tuple(kinds))


def resolve(datatype: Datatype, parsed: ParsedAddress, count: int | None = None) -> Element:
    """Return the place that an address names in `count` entries of `datatype`.

    Without `count`, any repetition is accepted. Raises AddressError, which names the wrong index or
    kind. If the address only lacks the index of a dup or resized datatype, the error shows the
    right address.
    """
    try:
        return _resolved(datatype, parsed, count)
    except AddressError as error:
        offered = _completed(datatype, parsed, count)
        if offered is None:
            raise
        raise AddressError(f"{error}; did you mean {offered}?") from None


def _resolved(datatype: Datatype, parsed: ParsedAddress, count: int | None) -> Element:
    try:
        return _walk(datatype, parsed, 0)
    except _TooManyIndices as error:
        if error.left > 1:
            raise
        # One index more than the tree has levels: take the first as the repetition.
        plain: AddressError | None = None
    except AddressError as error:
        plain = error
    try:
        found = _walk(datatype, _without_first(parsed), parsed.indices[0])
        # An address with too few indices names a part of the tree, not a repetition. The exception
        # is an address in which the root's kind follows the first index.
        repeated = found.is_basic or any(before == 1 for before, _ in parsed.kinds)
    except (AddressError, IndexError) as error:
        if plain is None:
            first, many = parsed.indices[0], len(parsed.indices)
            raise AddressError(
                f"{error}. The first of {many} indices, [{first}], is the repetition: the entry of "
                "the buffer"
            ) from None
        repeated = False
    if plain is not None and not repeated:
        raise plain
    if found.repetition < 0 or (count is not None and found.repetition >= count):
        raise AddressError(
            f"repetition [{found.repetition}] is out of range: the buffer has "
            f"{_amount(count or 0, 'entry', 'entries')}"
        )
    return found


def _completed(datatype: Datatype, parsed: ParsedAddress, count: int | None) -> str | None:
    # The address with [0] inserted for each dup and resized datatype on the way. None if that does
    # not name an element either.
    for repeated in (0, 1):
        indices, left = list(parsed.indices[:repeated]), list(parsed.indices[repeated:])
        node, added = datatype, False
        while left and not node.is_leaf:
            if node.combiner in _OF_ONE:
                here: Indices = (0,)
                added = True
            else:
                here, left = tuple(left[: node.shape.stages]), left[node.shape.stages :]
                if len(here) < node.shape.stages:
                    break
            indices += here
            try:
                node = node.shape.component(here)
            except (AddressError, IndexError):
                break
        else:
            if added and not left and not parsed.kinds:
                try:
                    found = _resolved(datatype, ParsedAddress(tuple(indices), ()), count)
                except AddressError:
                    continue
                return found.path
    return None


def at_packed(datatype: Datatype, position: int, count: int | None = None) -> Element:
    """Return the basic element that holds packed byte `position`. Raises AddressError."""
    size = datatype.size
    if size == 0:
        raise AddressError(f"({kind(datatype)}) holds no data, so it has no position {position}")
    repetition, rest = divmod(position, size)
    if position < 0 or (count is not None and repetition >= count):
        raise AddressError(
            f"the position {position} is outside the packed data: "
            f"{_amount(size * (1 if count is None else count), 'byte')}"
        )
    indices: list[int] = []
    node = datatype
    while not node.is_leaf:
        here, rest = node.shape.at_packed(rest)
        indices.extend(here)
        node = node.shape.component(here)
    return _walk(datatype, ParsedAddress(tuple(indices), ()), repetition)


def at_displacement(datatype: Datatype, displacement: int, count: int = 1) -> list[Element]:
    """Return the basic elements that hold the byte at `displacement`, in type-map order.

    A byte has several elements if the datatype overlaps itself; at most 64 are returned. Raises
    AddressError if there is none.
    """
    found = []
    for indices in displacement_search.covering(datatype, count, displacement):
        found.append(at_indices(datatype, indices))
        if len(found) == _MOST_FOUND:
            break
    if not found:
        raise AddressError(_gap(datatype, displacement, count))
    return sorted(found, key=lambda element: element.packed)


def at_indices(datatype: Datatype, indices: Indices) -> Element:
    """Return the element at the indices (repetition, index, ...). Raises AddressError."""
    return _walk(datatype, ParsedAddress(indices[1:], ()), indices[0])


def at_each(datatype: Datatype, places: Iterable[Indices]) -> list[Element]:
    """Return the basic elements at several (repetition, index, ...), sorted by packed position.

    The indices must be valid. Elements with equal first indices share that part of the walk through
    the tree, so many neighbors cost little.
    """
    found: list[Element] = []
    steps: list[tuple[Datatype, Indices]] = []
    walked: list[_Walked] = []
    before: Indices = ()
    for indices in sorted(places):
        same = _common_prefix(before, indices)
        while walked and walked[-1].taken > same:
            del walked[-1], steps[-1:]
        if not walked:
            walked.append(
                _Walked(datatype, 1, indices[0] * datatype.extent, indices[0] * datatype.size)
            )
        node, taken, displacement, packed = walked[-1]
        while not node.is_leaf:
            shape = node.shape
            here = indices[taken : taken + shape.stages]
            steps.append((node, here))
            displacement += shape.displacement(here)
            packed += shape.packed(here)
            taken += len(here)
            node = shape.component(here)
            walked.append(_Walked(node, taken, displacement, packed))
        found.append(Element(indices[0], tuple(steps), node, (), displacement, packed, node.size))
        before = indices
    return sorted(found, key=lambda element: element.packed)


class _Walked(NamedTuple):
    # A node on the way, and the number of indices that lead to it.
    node: Datatype
    taken: int
    displacement: int
    packed: int


def _common_prefix(first: Indices, second: Indices) -> int:
    # Returns the number of equal indices at the beginning. Bisection, because there may be 10^4.
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _gap(datatype: Datatype, displacement: int, count: int) -> str:
    at = f"no element at displacement {displacement}"
    if not count or not datatype.element_count:
        return f"{at}: there is no data"
    sides = []
    for side in (-1, 1):
        indices = displacement_search.nearest(datatype, count, displacement, side)
        sides.append(None if indices is None else at_indices(datatype, indices))
    before, after = sides
    if before is None and after is None:
        return f"{at}: the datatype's bounds are damaged"
    if before is None:
        assert after is not None
        return f"{at}: the first is {after.path} at {after.displacement}"
    end = before.displacement + before.datatype.true_extent
    if after is None:
        return f"{at}: the last is {before.path}, which ends at {end}"
    return (
        f"{at}: it is in the gap between {before.path}, which ends at {end}, "
        f"and {after.path} at {after.displacement}"
    )


def _without_first(parsed: ParsedAddress) -> ParsedAddress:
    kinds = tuple((max(0, before - 1), name) for before, name in parsed.kinds)
    return ParsedAddress(parsed.indices[1:], kinds)


class _TooManyIndices(AddressError):
    left = 0


def _walk(datatype: Datatype, parsed: ParsedAddress, repetition: int) -> Element:
    node = datatype
    displacement = repetition * datatype.extent
    packed = repetition * datatype.size
    steps: list[tuple[Datatype, Indices]] = []
    kinds = dict(parsed.kinds)
    taken = 0
    while True:
        _check_kind(kinds.get(taken), node, steps)
        if node.is_leaf or taken == len(parsed.indices):
            break
        shape = node.shape
        here = _checked(node, parsed.indices[taken : taken + shape.stages], steps)
        steps.append((node, here))
        displacement += shape.displacement(here)
        packed += shape.packed(here)
        for inside in range(taken + 1, taken + len(here) + (len(here) < shape.stages)):
            if inside in kinds and inside < taken + shape.stages:
                raise AddressError(_inside(kinds[inside], node, here[: inside - taken], steps))
        taken += len(here)
        if len(here) < shape.stages:
            size = _stage_size(node, here)
            return Element(repetition, tuple(steps), node, here, displacement, packed, size)
        node = shape.component(here)
    if taken < len(parsed.indices):
        error = _TooManyIndices(
            f"index [{parsed.indices[taken]}] is one too many: {_path(steps) or 'it'} is already "
            f"one {node.name or node.combiner}"
        )
        error.left = len(parsed.indices) - taken
        raise error
    return Element(repetition, tuple(steps), node, (), displacement, packed, node.size)


def _checked(node: Datatype, indices: Indices, steps: list[tuple[Datatype, Indices]]) -> Indices:
    # Checks indices against the branching of `node`. MUST prints linear indices for arrays, so
    # these are first reduced modulo the dimension.
    shape = node.shape
    good: Indices = ()
    for index in indices:
        count = shape.branching(good)
        if shape.order and index >= count > 0:
            index %= count
        if not 0 <= index < count:
            ordinal = sum(len(before) for _, before in steps) + len(good) + 1
            where = _path([*steps, (node, (*good, index))])
            raise AddressError(
                f"{_ordinal(ordinal)} index [{index}] of {where} is out of range: "
                f"{_range_text(node, good, count)}"
            )
        good = (*good, index)
    return good


def _range_text(node: Datatype, prefix: Indices, count: int) -> str:
    if node.shape.order:
        what, unit = f"dimension {len(prefix)}", "element"
    elif prefix:
        what, unit = f"block {prefix[0]}", "element"
    else:
        what, unit = f"({node.combiner})", "element" if node.shape.stages == 1 else "block"
    text = f"{what} has {_amount(count, unit)}"
    return f"{text}, [0] to [{count - 1}]" if count > 1 else text + (", [0]" if count else "")


def _stage_size(node: Datatype, prefix: Indices) -> int:
    shape = node.shape
    component = shape.component(prefix)
    copies = 1
    for stage in range(len(prefix), shape.stages):
        copies *= shape.branching(prefix + (0,) * (stage - len(prefix)))
    return copies * component.size


def _check_kind(name: str | None, node: Datatype, steps: list[tuple[Datatype, Indices]]) -> None:
    if name is None or _is_equal_kind(name, kind(node)):
        return
    place = _path(steps) or "the start"
    raise AddressError(f"({name}) does not fit: ({kind(node)}) is at {place}")


def _inside(
    name: str, node: Datatype, prefix: Indices, steps: list[tuple[Datatype, Indices]]
) -> str:
    if node.shape.order:
        what = f"it has {node.shape.stages} indices, not {len(prefix)}"
    else:
        length = node.shape.branching(prefix)
        component = node.shape.component(prefix)
        what = f"a block of {length} {component.name or component.combiner}"
    return f"({name}) does not fit: {_path([*steps[:-1], (node, prefix)])} is {what}"


def _is_equal_kind(written: str, actual: str) -> bool:
    name = written.upper()
    if name.startswith("MPI_"):
        name = name[4:]
    actual = actual.upper()
    return ALIASES.get(name, name) == ALIASES.get(actual, actual)


def _path(steps: Iterable[tuple[Datatype, Indices]]) -> str:
    return "".join(f"({kind(node)}){_brackets(indices)}" for node, indices in steps)


def _brackets(indices: Indices) -> str:
    return "".join(f"[{index}]" for index in indices)


def _ordinal(number: int) -> str:
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number % 100 < 20 else suffix}"


def _amount(number: int, one: str, many: str = "") -> str:
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"
