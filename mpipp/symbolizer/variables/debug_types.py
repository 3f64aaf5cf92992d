# SPDX-License-Identifier: MIT
"""Conversion of DWARF types to the program's types (`mpipp.program_types.types`).

`mpipp/gdb/program/debug_types.py` makes equal types from gdb's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mpipp.program_types.types import Array, Member, Record, Scalar, Type
from mpipp.symbolizer.inlined_functions import name_of

_DEEPEST = 64
_MOST_MEMBERS = 5000
_POINTER = 8  # bytes
_FORTRAN = (7, 8, 14, 34, 35, 0x2D)  # DW_LANG codes of languages whose arrays begin with 1
_CXX = (0x04, 0x1A, 0x21, 0x2B, 0x3A)
_QUALIFIERS = tuple(f"DW_TAG_{one}_type" for one in ("const", "volatile", "atomic", "restrict"))
_RECORDS = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
_BOUNDS = ("DW_AT_lower_bound", "DW_AT_upper_bound", "DW_AT_count")
_POINTERS = ("DW_TAG_pointer_type", "DW_TAG_ptr_to_member_type")
_REFERENCES = ("DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")
# Encodings of DW_TAG_base_type (DWARF 5, section 7.8).
_ENCODINGS = {2: "bool", 3: "complex", 4: "float", 5: "signed", 7: "unsigned", 0x10: "char"}
_CHARACTERS = (6, 8)
_STANDARD = re.compile(r"u?int(?:8|16|32|64)_t|wchar_t")
# Members that lead to the elements of C++ containers, in libstdc++ and libc++.
_CONTAINER = re.compile(
    r"(vector|basic_string|valarray|span|(forward_)?list|deque|(unordered_)?(multi)?(map|set))<"
)
_SMART_POINTER = re.compile(r"(unique|shared|weak)_ptr<")


class NoLayout(Exception):
    """The type has no layout: it is incomplete, the type of a function, or its size is not
    constant."""


def model(entry: Any) -> Type:
    """Return the type of a DWARF entry. Raises NoLayout."""
    return _model(entry, 0, [_MOST_MEMBERS])


def stripped(entry: Any) -> Any:
    """Return the type behind typedefs and qualifiers; None for void or damaged data."""
    for _ in range(_DEEPEST):
        if entry is None or entry.tag not in (*_QUALIFIERS, "DW_TAG_typedef"):
            return entry
        entry = target(entry)
    return None


def target(entry: Any) -> Any:
    """Return the type entry of a variable or of an array's element; None for void."""
    for _ in range(4):
        if "DW_AT_type" in entry.attributes:
            return entry.get_DIE_from_attribute("DW_AT_type")
        for link in ("DW_AT_abstract_origin", "DW_AT_specification"):
            if link in entry.attributes:
                entry = entry.get_DIE_from_attribute(link)
                break
        else:
            return None
    return None


def children(entry: Any) -> Iterator[Any]:
    """Yield the children of an entry.

    Stops at a child that does not follow the previous one: a damaged file could cause a loop.
    """
    last = entry.offset
    for child in entry.iter_children():
        if child.offset <= last:
            return
        last = child.offset
        yield child


def may_have_wide_integers(unit: Any) -> bool:
    """Return whether Fortran's default integers may have more than 4 bytes."""
    options = _options(unit)
    return "GNU" not in options or "-fdefault-integer-8" in options


def _options(unit: Any) -> list[str]:
    # The words with which the compiler describes itself; GCC also writes its options.
    producer = unit.attributes.get("DW_AT_producer")
    return producer.value.decode(errors="replace").split() if producer is not None else []


def is_optimized(unit: Any) -> bool:
    """Return whether the code of a compilation unit is optimized, or may be."""
    options = _options(unit)
    levels = [one for one in options if one.startswith("-O")]
    return levels[-1] != "-O0" if levels else "GNU" not in options


def is_fortran(entry: Any) -> bool:
    """Return whether the entry's compilation unit is in Fortran."""
    return _language(entry) in _FORTRAN


def is_container(entry: Any) -> bool:
    """Return whether a type is a C++ container, whose elements are in another place."""
    return entry.tag in _RECORDS and _CONTAINER.match(name_of(entry)) is not None


def is_smart_pointer(entry: Any) -> bool:
    """Return whether a type is a C++ smart pointer."""
    return entry.tag in _RECORDS and _SMART_POINTER.match(name_of(entry)) is not None


def is_record(entry: Any) -> bool:
    """Return whether a type is a struct, class, derived type or union."""
    return entry.tag in _RECORDS


def is_pointer(entry: Any) -> bool:
    """Return whether a type is a pointer or reference."""
    return entry.tag in (*_POINTERS, *_REFERENCES)


def is_raw_pointer(entry: Any) -> bool:
    """Return whether a type is a pointer, not a reference."""
    return entry.tag in _POINTERS


def size(entry: Any) -> int | None:
    """Return the bytes of a type or variable; None if they are not constant."""
    try:
        return _size(entry)
    except NoLayout:
        return None


def type_name(entry: Any) -> str:
    """Return the name as in the program's language: "double", "struct s", "type(particle)"."""
    if entry is None:
        return "void"
    if entry.tag in _QUALIFIERS:
        return type_name(target(entry))
    if is_pointer(entry):
        return f"{type_name(target(entry))} {'*' if is_raw_pointer(entry) else '&'}"
    name = name_of(entry)
    if entry.tag == "DW_TAG_enumeration_type":
        return f"enum {name}" if name else "enum {...}"
    if entry.tag not in _RECORDS:
        return _plain_name(name)
    word = "union" if entry.tag == "DW_TAG_union_type" else "struct"
    if not name:
        return f"{word} {{...}}"
    if is_fortran(entry):
        return f"type({name})"
    return name if _language(entry) in _CXX else f"{word} {name}"


def bounds(array: Any) -> list[tuple[int, int]]:
    """Return the first index and the number of elements of each dimension. Raises NoLayout."""
    first = 1 if is_fortran(array) else 0
    found = []
    for dimension in children(array):
        if dimension.tag not in ("DW_TAG_subrange_type", "DW_TAG_enumeration_type"):
            continue
        given = {
            name: None if is_reference(one) else one.value
            for name, one in dimension.attributes.items()
            if name in _BOUNDS
        }
        low, count = given.get("DW_AT_lower_bound", first), given.get("DW_AT_count")
        last = given.get("DW_AT_upper_bound")
        if count is None and isinstance(last, int) and isinstance(low, int):
            count = _signed(last, dimension) - low + 1
        if not isinstance(low, int) or not isinstance(count, int):
            raise NoLayout
        found.append((low, max(0, count)))
    if not found or any(name in array.attributes for name in ("DW_AT_data_location", "DW_AT_rank")):
        raise NoLayout
    return found


def is_reference(attribute: Any) -> bool:
    """Return whether the value of an attribute is another entry."""
    return str(attribute.form).startswith("DW_FORM_ref")


def _signed(number: int, dimension: Any) -> int:
    # An array without elements has the upper bound -1, stored as an unsigned number of the form's
    # size.
    form = dimension.attributes["DW_AT_upper_bound"].form
    bits = {"DW_FORM_data1": 8, "DW_FORM_data2": 16, "DW_FORM_data4": 32, "DW_FORM_data8": 64}
    width = bits.get(form, 0)
    return number - (1 << width) if width and number == (1 << width) - 1 else number


def _model(entry: Any, depth: int, left: list[int]) -> Type:
    plain = stripped(entry)
    if plain is None or depth > _DEEPEST:
        raise NoLayout
    tag = plain.tag
    if tag == "DW_TAG_array_type":
        return _array(plain, depth, left)
    if tag == "DW_TAG_string_type":
        return Array(Scalar("char", "character", 1), _byte_size(plain), 1, True, True)
    if tag in _RECORDS:
        return _record(plain, type_name(entry), depth, left)
    if tag in _POINTERS:
        return Scalar("pointer", _pointer_name(plain), plain_size(plain))
    if tag in _REFERENCES:
        return Scalar("reference", f"{type_name(target(plain))} &", plain_size(plain))
    if tag == "DW_TAG_enumeration_type":
        return Scalar("enum", f"enum {name_of(plain)}".rstrip(), _byte_size(plain))
    if tag == "DW_TAG_base_type":
        return _scalar(entry, plain)
    if tag == "DW_TAG_unspecified_type":
        return Scalar("opaque", name_of(plain), _POINTER)
    raise NoLayout


def plain_size(entry: Any) -> int:
    """Return the bytes of a pointer."""
    found = entry.attributes.get("DW_AT_byte_size")
    return found.value if found is not None and isinstance(found.value, int) else _POINTER


def _pointer_name(pointer: Any) -> str:
    return f"{type_name(target(pointer))} *"


def _array(plain: Any, depth: int, left: list[int]) -> Type:
    kind = _model(target(plain), depth + 1, left)
    fortran = is_fortran(plain)
    dimensions = bounds(plain)
    # The first index of Fortran's arrays varies fastest, in C the last.
    for low, count in dimensions if fortran else reversed(dimensions):
        kind = Array(kind, count, low, fortran)
    return kind


def _record(plain: Any, name: str, depth: int, left: list[int]) -> Type:
    tag_name = name_of(plain)
    if "DW_AT_declaration" in plain.attributes:
        raise NoLayout
    whole = _byte_size(plain)
    if depth and _CONTAINER.match(tag_name):
        return Scalar("container", tag_name, whole)
    if depth and _SMART_POINTER.match(tag_name):
        return Scalar("pointer", tag_name, whole)
    union = plain.tag == "DW_TAG_union_type"
    members: list[Member] = []
    special = False
    for child in children(plain):
        if child.tag not in ("DW_TAG_member", "DW_TAG_inheritance"):
            continue
        left[0] -= 1
        if left[0] < 0:
            raise NoLayout
        inherits = child.tag == "DW_TAG_inheritance"
        special |= inherits
        if inherits and "DW_AT_virtuality" in child.attributes:
            return Scalar("virtual", tag_name, whole)
        members += _member(child, union, inherits, whole, depth, left)
    if not union:
        members = _clipped(sorted(members, key=lambda member: member.offset))
    return Record(name, whole, tuple(members), union, is_fortran(plain), special)


def _clipped(members: list[Member]) -> list[Member]:
    # A descriptor's size may be unknown. Then the descriptor ends where the next member begins.
    ends = [*(member.offset for member in members[1:]), 0]
    return [
        one._replace(type=replace(one.type, size=end - one.offset))
        if isinstance(one.type, Scalar)
        and one.type.kind == "descriptor"
        and one.offset < end < one.offset + one.type.size
        else one
        for one, end in zip(members, ends)
    ]


def _member(
    child: Any, union: bool, inherits: bool, whole: int, depth: int, left: list[int]
) -> list[Member]:
    offset = member_offset(child)
    if offset is None and not union:
        return _bit_field(child) if "DW_AT_bit_size" in child.attributes else []
    if "DW_AT_bit_size" in child.attributes:
        return _bit_field(child)
    name, at = name_of(child), offset or 0
    if name.startswith("_vptr"):
        return [Member(name, at, Scalar("vptr", "virtual table", _POINTER))]
    if is_fortran(child) and (name.startswith("_") or _is_dynamic(target(child))):
        kind = stripped(target(child))
        found = kind.attributes.get("DW_AT_byte_size") if kind is not None else None
        bytes_ = found.value if found is not None else whole - at
        return [Member(name, at, Scalar("descriptor", "descriptor", bytes_))]
    inner = _model(target(child), depth + 1, left)
    nameless = inherits or not name
    if nameless and isinstance(inner, Record) and not inner.union and not union:
        return [one._replace(offset=one.offset + at) for one in inner.members]
    empty = isinstance(inner, Record) and not inner.members
    return [] if empty or not inner.size else [Member("" if inherits else name, at, inner)]


def _is_dynamic(entry: Any) -> bool:
    plain = stripped(entry)
    return plain is not None and "DW_AT_data_location" in plain.attributes


def member_offset(member: Any) -> int | None:
    """Return a member's offset in bytes; None if it has none, as static members."""
    found = member.attributes.get("DW_AT_data_member_location")
    if found is None:
        return 0 if member.tag == "DW_TAG_member" and _in_union(member) else None
    return found.value if isinstance(found.value, int) else None


def _in_union(member: Any) -> bool:
    parent = member.get_parent()
    return parent is not None and parent.tag == "DW_TAG_union_type"


def _bit_field(child: Any) -> list[Member]:
    given = child.attributes
    bits = given["DW_AT_bit_size"].value
    start = given["DW_AT_data_bit_offset"].value if "DW_AT_data_bit_offset" in given else None
    name = name_of(child)
    if start is None:  # DWARF 3 counts the bits from the other end of the storage unit
        unit = member_offset(child)
        bytes_ = _size(child)
        from_top = given["DW_AT_bit_offset"].value if "DW_AT_bit_offset" in given else 0
        start = (unit or 0) * 8 + bytes_ * 8 - from_top - bits
    first, last = start // 8, -(-(start + bits) // 8)
    label = f"{name}:{bits}"
    return [Member(label, first, Scalar("bits", label, last - first))] if name else []


def _scalar(entry: Any, plain: Any) -> Scalar:
    name, width = _plain_name(name_of(plain)), _byte_size(plain)
    known = _standard_name(entry)
    given = plain.attributes.get("DW_AT_encoding")
    encoding = given.value if given is not None else 0
    kind = _ENCODINGS.get(encoding, "opaque")
    if encoding in _CHARACTERS:
        is_text = name in ("char", "character", "char8_t") or name.startswith("character")
        kind = "char" if is_text else "signed" if encoding == 6 else "unsigned"
    if name == "char":  # char may be signed or unsigned
        kind = "char"
    if known == "wchar_t" or name == "wchar_t":
        kind = "wchar"
    if kind == "bool" and ("(kind=" in name or is_fortran(plain)):
        kind = "logical"
    if kind == "char" and width > 1:
        kind = "opaque"
    return Scalar(kind, known or name, width)


def _standard_name(entry: Any) -> str:
    # The standard has datatypes for these typedefs, which may differ from that of the type behind
    # them.
    for _ in range(_DEEPEST):
        if entry is None or entry.tag not in (*_QUALIFIERS, "DW_TAG_typedef"):
            return ""
        name = name_of(entry)
        if entry.tag == "DW_TAG_typedef" and _STANDARD.fullmatch(name):
            return name
        entry = target(entry)
    return ""


def _plain_name(name: str) -> str:
    # Compilers write either "long unsigned int" or "unsigned long".
    words = name.split()
    if words and set(words) <= {"long", "short", "unsigned", "signed", "int"}:
        ordered = [word for word in ("unsigned",) if word in words]
        ordered += [word for word in words if word in ("long", "short")]
        return " ".join(ordered if ordered and ordered != ["unsigned"] else [*ordered, "int"])
    return name


def _size(entry: Any) -> int:
    count = 1
    for _ in range(_DEEPEST):
        entry = target(entry) if entry.tag in _HAS_TYPE else entry
        entry = stripped(entry)
        if entry is None:
            raise NoLayout
        if entry.tag != "DW_TAG_array_type":
            return count * (plain_size(entry) if is_pointer(entry) else _byte_size(entry))
        for _, number in bounds(entry):
            count *= number
        entry = target(entry)
        if entry is None:
            raise NoLayout
    raise NoLayout


_HAS_TYPE = ("DW_TAG_variable", "DW_TAG_formal_parameter", "DW_TAG_member", "DW_TAG_inheritance")


def _byte_size(entry: Any) -> int:
    found = entry.attributes.get("DW_AT_byte_size")
    if found is None or not isinstance(found.value, int) or entry.tag == "DW_TAG_subroutine_type":
        raise NoLayout
    number: int = found.value
    return number


def _language(entry: Any) -> int:
    found = entry.cu.get_top_DIE().attributes.get("DW_AT_language")
    return found.value if found is not None and isinstance(found.value, int) else 0
