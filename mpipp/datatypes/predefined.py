# SPDX-License-Identifier: MIT
"""Decoding and printing the values of predefined datatypes.

Every predefined datatype name of MPI 4.1 has a value class. The class, and the size that the MPI
library reports, define how to decode a value, and how to print it as gdb does. Sizes are in bytes.
"""

from __future__ import annotations

import functools
import struct
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text.sanitize import escape
from mpipp.datatypes import float_formats


def _table(**classes: str) -> dict[str, str]:
    return {f"MPI_{name}": kind for kind, names in classes.items() for name in names.split()}


# Value classes. "pair" types (MPI-4.1, section 6.9.4) are in _PAIRS.
_CLASSES: Mapping[str, str] = _table(
    signed="SHORT INT LONG LONG_LONG LONG_LONG_INT SIGNED_CHAR INT8_T INT16_T INT32_T INT64_T"
    " AINT COUNT OFFSET INTEGER INTEGER1 INTEGER2 INTEGER4 INTEGER8 INTEGER16",
    unsigned="UNSIGNED_CHAR UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG UNSIGNED_LONG_LONG"
    " UINT8_T UINT16_T UINT32_T UINT64_T",
    float="FLOAT DOUBLE LONG_DOUBLE REAL DOUBLE_PRECISION REAL2 REAL4 REAL8 REAL16",
    complex="C_COMPLEX C_FLOAT_COMPLEX C_DOUBLE_COMPLEX C_LONG_DOUBLE_COMPLEX COMPLEX"
    " DOUBLE_COMPLEX COMPLEX4 COMPLEX8 COMPLEX16 COMPLEX32 CXX_FLOAT_COMPLEX CXX_DOUBLE_COMPLEX"
    " CXX_LONG_DOUBLE_COMPLEX",
    logical="LOGICAL LOGICAL1 LOGICAL2 LOGICAL4 LOGICAL8 LOGICAL16",
    bool="C_BOOL CXX_BOOL",
    char="CHAR CHARACTER",
    wchar="WCHAR",
    byte="BYTE PACKED",
    marker="LB UB",
)

# The class of a pair's value. The index is an int, or for MPI_2X another value. The names of MPI-1
# and of vendors in the last line are old but still in use.
_PAIRS: Mapping[str, str] = _table(
    float="FLOAT_INT DOUBLE_INT LONG_DOUBLE_INT 2REAL 2DOUBLE_PRECISION",
    signed="LONG_INT SHORT_INT 2INT 2INTEGER",
    complex="2COMPLEX 2DOUBLE_COMPLEX",
)

# C types with these names have no format of their own among IEEE 754's interchange formats.
_EXTENDED = frozenset(
    {
        "MPI_LONG_DOUBLE",
        "MPI_C_LONG_DOUBLE_COMPLEX",
        "MPI_CXX_LONG_DOUBLE_COMPLEX",
        "MPI_LONG_DOUBLE_INT",
    }
)

# The value classes of the parametrised Fortran types (MPI-4.1, section 19.1.9), by combiner.
F90_CLASSES: Mapping[str, str] = {
    "F90_REAL": "float",
    "F90_COMPLEX": "complex",
    "F90_INTEGER": "signed",
}

_SIGNED_CODES = {1: "b", 2: "h", 4: "i", 8: "q"}
_ORDER = sys.byteorder
_INT_SIZE = 4


@dataclass(frozen=True)
class Leaf:
    """Functions to decode and print one value of `size` bytes, in this machine's byte order.

    Attributes:
        text: prints the bytes of one value as gdb would.
        value: the bytes as a plain number, or as text if Python has no such number.
        code: the `struct` code of the value.
        format: the % format for the decoded value. If the result contains "nan", use `text`
            instead.
        width: 1 for characters, 4 or 2 for wide characters, else 0.
        parts: 2 for complex numbers.
    """

    size: int
    text: Callable[[bytes], str]
    value: Callable[[bytes], int | float | str]
    code: str | None = None
    format: str | None = None
    width: int = 0
    parts: int = 1

    def swapped(self, raw: bytes) -> bytes:
        """Return the bytes of a value in the other byte order."""
        length = self.size // self.parts
        return b"".join(raw[i : i + length][::-1] for i in range(0, self.size, length))


class Pair(NamedTuple):
    """The layout of a pair type: the sizes of its parts and the index's displacement, in bytes."""

    value_size: int
    index_size: int
    index_offset: int


def is_marker(name: str) -> bool:
    """Return whether `name` is MPI_LB or MPI_UB."""
    return _CLASSES.get(name) == "marker"


def is_pair(name: str) -> bool:
    """Return whether `name` is a pair of a value and an index, such as MPI_DOUBLE_INT."""
    return name in _PAIRS


def value_class(name: str) -> str:
    """Return the value class of predefined datatype `name`; "opaque" for an unknown name."""
    return "pair" if name in _PAIRS else _CLASSES.get(name, "opaque")


def alignment(name: str, size: int) -> int:
    """Return the alignment in bytes of basic datatype `name`, by the usual C rules.

    `name` may also be a value class ("float"). `size` is in bytes.
    """
    kind = name if name in _MAKERS else value_class(name)
    if kind == "pair":
        value_size, index_size, _ = pair_layout(name, size)
        return max(_power_of_two(value_size), index_size)
    if kind in ("char", "byte"):
        return 1
    return _power_of_two(size // 2 if kind == "complex" else size)


def pair_layout(name: str, size: int) -> Pair:
    """Return the layout of pair type `name`; `size` is the packed size in bytes."""
    if name.startswith("MPI_2"):
        return Pair(size // 2, size // 2, size // 2)
    value_size = size - _INT_SIZE
    return Pair(value_size, _INT_SIZE, -(-value_size // _INT_SIZE) * _INT_SIZE)


def pair_classes(name: str) -> tuple[str, str]:
    """Return the value classes of the two parts of pair type `name`."""
    value = _PAIRS[name]
    return value, value if name.startswith("MPI_2") else "signed"


@functools.cache
def leaf(name: str, size: int) -> Leaf:
    """Return the leaf of predefined datatype `name`, or of a value class ("float").

    A pair type has two leaves, see `pair_leaves`. `size` is in bytes.
    """
    kind = name if name in _MAKERS else value_class(name)
    return _MAKERS[kind](size, name in _EXTENDED)


@functools.cache
def pair_leaves(name: str, size: int) -> tuple[Leaf, Leaf]:
    """Return the leaves of the value and the index of pair type `name`.

    `size` is the packed size in bytes.
    """
    value_size, index_size, _ = pair_layout(name, size)
    value = _MAKERS[_PAIRS[name]](value_size, name in _EXTENDED)
    return value, value if name.startswith("MPI_2") else _integer(index_size, True)


def _power_of_two(size: int) -> int:
    return max(1, min(16, size & -size)) if size else 1


def _integer(size: int, signed: bool) -> Leaf:
    def value(raw: bytes) -> int:
        return int.from_bytes(raw, _ORDER, signed=signed)

    code = _SIGNED_CODES.get(size)
    if code is not None and not signed:
        code = code.upper()
    return Leaf(size, lambda raw: str(value(raw)), value, code, "%d" if code else None)


def _float(size: int, extended: bool) -> Leaf:
    kind = float_formats.FORMATS.get("x87" if extended and size in (12, 16) else size)
    if kind is None:
        return _opaque(size, False)

    def text(raw: bytes) -> str:
        return float_formats.text(raw, kind)

    if kind.code is None:
        return Leaf(size, text, text)
    unpack = struct.Struct("=" + kind.code).unpack
    return Leaf(size, text, lambda raw: float(unpack(raw)[0]), kind.code, f"%.{kind.digits}g")


def _complex(size: int, extended: bool) -> Leaf:
    half = size // 2
    part = _float(half, extended)

    def text(raw: bytes) -> str:
        return f"{part.text(raw[:half])} + {part.text(raw[half:])}i"

    return Leaf(size, text, text, parts=2)


def _logical(size: int, _: bool) -> Leaf:
    # The standard leaves the representation of .TRUE. to the compiler: 1 for gfortran, -1 for
    # others.
    names = {0: ".FALSE.", 1: ".TRUE."}

    def text(raw: bytes) -> str:
        value = int.from_bytes(raw, _ORDER, signed=True)
        return names.get(value) or f".TRUE. ({value})"

    return Leaf(size, text, text)


def _bool(size: int, _: bool) -> Leaf:
    names = {0: "false", 1: "true"}

    def text(raw: bytes) -> str:
        value = int.from_bytes(raw, _ORDER)
        return names.get(value) or str(value)

    return Leaf(size, text, text)


def _char(size: int, _: bool) -> Leaf:
    def text(raw: bytes) -> str:
        return "'" + escape(raw[0], "'") + "'"

    return Leaf(size, text, text, width=1)


def _wchar(size: int, _: bool) -> Leaf:
    def text(raw: bytes) -> str:
        return "L'" + escape(int.from_bytes(raw, _ORDER), "'") + "'"

    return Leaf(size, text, text, width=size)


def _byte(size: int, _: bool) -> Leaf:
    def value(raw: bytes) -> int:
        return int.from_bytes(raw, _ORDER)

    code = "B" if size == 1 else None
    return Leaf(size, lambda raw: f"{value(raw):#x}", value, code, "%#x" if code else None)


def _opaque(size: int, _: bool) -> Leaf:
    # mpipp cannot decode the value, because the standard does not name its datatype: prints its
    # bits.
    def text(raw: bytes) -> str:
        return f"0x{int.from_bytes(raw, _ORDER):0{2 * size}x}"

    return Leaf(size, text, text)


_MAKERS: Mapping[str, Callable[[int, bool], Leaf]] = {
    "signed": lambda size, _: _integer(size, True),
    "unsigned": lambda size, _: _integer(size, False),
    "float": _float,
    "complex": _complex,
    "logical": _logical,
    "bool": _bool,
    "char": _char,
    "wchar": _wchar,
    "byte": _byte,
    "marker": _opaque,
    "opaque": _opaque,
}
