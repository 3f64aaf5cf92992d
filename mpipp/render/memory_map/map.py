# SPDX-License-Identifier: MIT
"""The memory map of a datatype: its bytes, the holes between them, and a picture of both.

`memory_map` returns the facts, and `lines` the lines of a picture. `text` draws them as text, and
`mpipp.render.memory_map.svg` as an image. A large map is folded: a repeated part is drawn once, and
only the beginning and the end of a long part are drawn. Displacements are in bytes from the address
of the buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Union

from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes import alignment, memory, predefined
from mpipp.datatypes.element_address import Element, kind
from mpipp.datatypes.memory import footprint, strided_sets
from mpipp.datatypes.memory.buffer_overlap import Overlap, Region
from mpipp.datatypes.memory.intersection import touch
from mpipp.datatypes.memory.strided_sets import Comb
from mpipp.typetree import Datatype

_WIDE, _NARROW = 64, 32  # bytes in a row, and in a row with long displacements
_LONG = 7  # displacements with more digits are long
_MOST_ROWS = 12
_FIRST_ROWS, _LAST_ROWS = 8, 3  # rows of a long part


@dataclass(frozen=True)
class MemoryMap:
    """The facts of `count` entries of a datatype. All sizes are in bytes.

    `touched` and `runs` are None if computing them would take too long. `overlap`,
    `least_count_overlap` and `misaligned` are None if there is none.
    """

    datatype: Datatype
    count: int
    region: Region
    touched: int | None
    runs: int | None
    overlap: Overlap | None
    least_count_overlap: int | None
    misaligned: Element | None

    @property
    def size(self) -> int:
        """Bytes of data in a message."""
        return self.count * self.datatype.size

    @property
    def low(self) -> int:
        """Displacement of the first byte of data."""
        return self.region.low

    @property
    def high(self) -> int:
        """Displacement after the last byte of data."""
        return self.region.high

    @property
    def true_extent(self) -> int:
        """Bytes from the first byte of data to the last."""
        return self.high - self.low

    @property
    def lb(self) -> int:
        """The lowest lower bound of an entry, 0 without entries."""
        if not self.count:
            return 0
        return self.datatype.lb + min(0, (self.count - 1) * self.datatype.extent)

    @property
    def extent(self) -> int:
        """From the lowest lower bound of an entry to the highest upper bound."""
        if not self.count:
            return 0
        return self.datatype.extent + abs((self.count - 1) * self.datatype.extent)

    @property
    def hole_bytes(self) -> int | None:
        """The number of bytes between the first and the last byte of data that are not data."""
        return None if self.touched is None else self.true_extent - self.touched


def memory_map(datatype: Datatype, count: int = 1) -> MemoryMap:
    """The facts of the memory that `count` entries touch."""
    region = memory.region(datatype, count)
    return MemoryMap(
        datatype,
        count,
        region,
        region.bytes,
        strided_sets.run_count(region.comb),
        memory.self_overlap(datatype, count),
        footprint.least_overlapping_count(datatype),
        alignment.misaligned(datatype, count),
    )


def drawn_map(datatype: Datatype, count: int = 1) -> MemoryMap:
    """Return a map with only the facts that a picture needs: other facts of large datatypes are
    slow to compute."""
    region = memory.region(datatype, count)
    twice = memory.self_overlap(datatype, count)
    return MemoryMap(datatype, count, region, None, None, twice, None, None)


class Cell(NamedTuple):
    """The part of an element in one row: the bytes [start, end).

    `begins` is true if the element begins here, `twice` if another element has these bytes, too.
    `element` is None if too many elements interleave here to name one.
    """

    start: int
    end: int
    element: Element | None
    begins: bool
    twice: bool


class Row(NamedTuple):
    """A row of `length` bytes from displacement `start`, which is a multiple of the length."""

    start: int
    length: int
    cells: tuple[Cell, ...]


class Note(NamedTuple):
    """A text between rows: the part that is left out here, or how often the drawn rows repeat."""

    text: str
    folded: bool = False


Line = Union[Row, Note]


def lines(of: MemoryMap, mark: int | None = None) -> list[Line]:
    """The lines of a picture, by ascending displacement.

    A long part also shows the element with the displacement `mark`, unless that lies in a
    repetition that is not drawn.
    """
    comb = of.region.comb
    if comb is None:
        return [Note("no data")]
    found: list[Line] = []
    while comb.dims and (comb.high - comb.low) // _row_length(comb) >= _MOST_ROWS:
        widest = max(comb.dims, key=lambda dim: dim[1])
        comb = comb._replace(dims=tuple(dim for dim in comb.dims if dim != widest))
        found.append(Note(f"the first of {widest[0]}, every {amount(widest[1])}:", True))
    length = _row_length(comb)
    before: int | None = None
    for start in _row_starts(comb, length, mark):
        if before is not None and start > before:
            left_out = amount(start - before)
            share = touch(comb, Comb(before, start - before))
            found.append(Note(f"{left_out} not drawn" if share else f"{left_out} not touched"))
        found.append(Row(start, length, tuple(_cells(of, start, start + length))))
        before = start + length
    return found


def legend(drawn: list[Line]) -> dict[str, str]:
    """A letter for each basic datatype in the lines, by its name."""
    letters: dict[str, str] = {}
    for line in drawn:
        for cell in line.cells if isinstance(line, Row) else ():
            name = type_name(cell.element)
            if name not in letters:
                letters[name] = _letter(name, letters)
    return letters


def text(of: MemoryMap) -> list[str]:
    """The picture in characters, one for each byte, at most 80 in a line, and the legend below."""
    drawn = lines(of)
    letters = legend(drawn)
    drawn_rows = [line for line in drawn if isinstance(line, Row)]
    width = max([3, *(len(str(row.start)) for row in drawn_rows)])
    result = [_ruler(width, drawn_rows[0].length)] if drawn_rows else []
    for line in drawn:
        if isinstance(line, Row):
            row = f"{line.start:{width}}  {_characters(of, line, letters)}"
            result.append(row.rstrip())
        elif line.folded:
            result.insert(-1, line.text)
        else:
            result.append(f"{'':{width}}  ({line.text})" if drawn_rows else line.text)
    twice = any(cell.twice for row in drawn_rows for cell in row.cells)
    if letters:
        words = [f"{letter} {name}" for name, letter in letters.items()]
        words += ["# more than one element"] if twice else []
        result += ["", *_wrapped([*words, ". not touched"])]
    return result


def type_name(element: Element | None) -> str:
    """The name of an element's basic datatype."""
    if element is None:
        return "unknown"
    return element.datatype.name or kind(element.datatype)


def amount(number: int) -> str:
    """A number of bytes with its unit, as text."""
    return f"{number} byte" if number == 1 else f"{number} bytes"


def _row_length(comb: Comb) -> int:
    digits = max(len(str(comb.low)), len(str(comb.high)))
    return _WIDE if digits <= _LONG else _NARROW


def _row_starts(comb: Comb, length: int, mark: int | None) -> list[int]:
    # The start of each row with data. If there are many, return the first rows, those around the
    # mark, and the last.
    first: list[int] = []
    for start in _from_below(comb, length):
        first.append(start)
        if len(first) > _MOST_ROWS:
            break
    else:
        return first
    last: list[int] = []
    end = comb.high
    while len(last) < _LAST_ROWS:
        place = _last_before(comb, end)
        end = place - place % length
        last.append(end)
    ends = first[:_FIRST_ROWS] + last[::-1]
    here = mark - mark % length if mark is not None else ends[0]
    if here in ends or touch(comb, Comb(here, length)) is None:
        return ends
    around = (here - length, here, here + length)
    seen = {start for start in around if touch(comb, Comb(start, length))}
    return sorted({*first[: _FIRST_ROWS - len(seen)], *seen, *last})


def _from_below(comb: Comb, length: int) -> Iterator[int]:
    place: int | None = comb.low
    while place is not None:
        start = place - place % length
        yield start
        place = first_from(comb, start + length)


def first_from(comb: Comb, place: int) -> int | None:
    """The first byte of strided blocks at or after a displacement; None if there is none."""
    # Search in steps of doubling length, to find near bytes without testing far ones.
    low, end, step = place, max(comb.high, place + 1), _WIDE
    high = min(low + step, end)
    while touch(comb, Comb(low, high - low)) is None:
        if high == end:
            return None
        step *= 2
        low, high = high, min(high + step, end)
    while high - low > 1:
        middle = (low + high) // 2
        if touch(comb, Comb(low, middle - low)):
            high = middle
        else:
            low = middle
    return low


def _last_before(comb: Comb, place: int) -> int:
    # The last byte of data before a displacement. Such a byte must exist.
    high, step = place, _WIDE
    low = max(high - step, comb.low)
    while touch(comb, Comb(low, high - low)) is None:
        step *= 2
        low, high = max(low - step, comb.low), low
    while high - low > 1:
        middle = (low + high) // 2
        if touch(comb, Comb(middle, high - middle)):
            low = middle
        else:
            high = middle
    return low


def _cells(of: MemoryMap, start: int, stop: int) -> Iterator[Cell]:
    last: Cell | None = None
    for cell in _pieces(of, start, stop):
        same = last and (last.end, last.element, last.twice) == (
            cell.start,
            cell.element,
            cell.twice,
        )
        if last and same and not cell.begins:
            last = last._replace(end=cell.end)
            continue
        if last:
            yield last
        last = cell
    if last:
        yield last


def _pieces(of: MemoryMap, start: int, stop: int) -> Iterator[Cell]:
    # If elements overlap, one may begin at any byte, so yield single bytes. Else yield whole cells.
    comb = of.region.comb
    assert comb is not None
    near = memory.within(of.datatype, of.count, start, stop)
    place = first_from(comb, start)
    while place is not None and place < stop:
        if near is None:
            elements = memory.touching(of.datatype, of.count, place)
        else:
            elements = [element for element in near if memory.touches(element, place)]
        first = elements[0] if elements else None
        # In damaged records, an element may end before its byte.
        one = place + 1
        end = one if first is None or of.overlap else max(one, _part_end(first, place))
        begins = any(element.displacement == place for element in elements)
        yield Cell(place, min(end, stop), first, begins, len(elements) > 1)
        place = first_from(comb, end)


def _part_end(element: Element, place: int) -> int:
    # The end of the element's contiguous bytes from `place` on. A pair type may contain a hole.
    leaf, start = element.datatype, element.displacement
    if predefined.value_class(leaf.name) != "pair":
        return start + leaf.size
    value, index, offset = predefined.pair_layout(leaf.name, leaf.size)
    return start + (value if place < start + offset else offset + index)


def _characters(of: MemoryMap, row: Row, letters: dict[str, str]) -> str:
    # The characters of a row in groups of 8. Bytes outside the bounds are blank.
    characters = []
    low, high = min(of.low, of.lb), max(of.high, of.lb + of.extent)
    for place in range(row.start, row.start + row.length):
        characters.append("." if low <= place < high else " ")
    for cell in row.cells:
        letter = letters[type_name(cell.element)]
        for place in range(cell.start, cell.end):
            begins = cell.begins and place == cell.start
            mark = "#" if cell.twice else letter.upper() if begins else letter
            characters[place - row.start] = mark
    groups = range(0, row.length, 8)
    return " ".join("".join(characters[i : i + 8]) for i in groups)


def _letter(name: str, taken: dict[str, str]) -> str:
    # Prefer a lower-case letter from the name: upper case marks the first byte of an element.
    name = name.lower()
    name = name[4:] if name.startswith("mpi_") else name
    for letter in name + "abcdefghijklmnopqrstuvwxyz":
        if letter.isalpha() and letter not in taken.values():
            return letter
    return "x"


def _ruler(width: int, length: int) -> str:
    marks = "".join(f"+{place:<8}" for place in range(0, length, 8))
    return f"{'':{width}}  {marks}".rstrip()


def _wrapped(words: list[str], width: int = 80) -> list[str]:
    found: list[str] = []
    for word in words:
        if found and len(found[-1]) + 4 + len(word) <= width:
            found[-1] += "    " + word
        else:
            found.append(word)
    return found
