# SPDX-License-Identifier: MIT
"""The program's types from its debug information, as a model (`mpipp.program_types.types`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console
from mpipp.gdb.program import arrays, cxx_containers, symbol_names
from mpipp.program_types.types import Array, Member, Record, Scalar, Type

_DEEPEST = 64
_MOST_MEMBERS = 20_000  # members of a type, including those of nested types for each occurrence
_SHOWN = "mpipp_shown_type"  # a gdb variable
# Typedefs with an MPI datatype of their own. The datatype may differ from that of the underlying
# type.
_STANDARD = re.compile(r"(?:std::)?(u?int(?:8|16|32|64)_t|wchar_t)$")
_BASE = re.compile(r"(?: : |, )(public|protected|private) (?!virtual )")
_LABEL = re.compile(r"  (public|private|protected):$")
_MEMBER = re.compile(r"    ( *)\S.*?(\w+)(?:\[\d+\])*(?: : \d+)?;$")
# The shape of a Fortran array whose bounds are known only at run time: (:), (0:*), not (0:3).
_ASSUMED = re.compile(r"[(,](?:-?\d*:|(?:-?\d+:)?\*)(?:,.*)?\)$")


class Names(NamedTuple):
    """Options of a model: the program's language, and a limit for its members."""

    fortran: bool
    cxx: bool
    access: bool  # whether to determine private members
    left: list[int]  # the number of members that may still be added


def language_names(access: bool = False) -> Names:
    """The options for gdb's current language; with `access`, models mark private members."""
    language = console.language()
    return Names(language == "fortran", language == "c++", access, [_MOST_MEMBERS])


def model(kind: gdb.Type, language: Names, depth: int = 0) -> Type:
    """A model of a type. Raises MpippError for a type without a layout: void, an
    incomplete type."""
    plain = kind.strip_typedefs()
    code = plain.code
    if not depth:
        language = language._replace(left=[_MOST_MEMBERS])
    if depth > _DEEPEST:
        raise MpippError(f"{symbol_names.text(kind)} is nested too deeply")
    if code == gdb.TYPE_CODE_ARRAY:
        return _array(plain, language, depth)
    if code == gdb.TYPE_CODE_STRING:
        low, high = plain.range()
        return Array(Scalar("char", "character", 1), max(0, high - low + 1), low, True, True)
    if depth and cxx_containers.is_container(plain):
        return Scalar("container", symbol_names.of_type(kind), plain.sizeof)
    if _has_virtual_base(plain):
        if not depth:
            name = symbol_names.text(kind)
            raise MpippError(
                f"{name} has a virtual base class, whose place depends on the object: "
                "name an object"
            )
        return Scalar("virtual", symbol_names.of_type(kind), plain.sizeof)
    if depth and cxx_containers.is_pointer(plain):
        return Scalar("pointer", symbol_names.of_type(kind), plain.sizeof)
    if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return _record(kind, plain, language, depth)
    # Complex integers, an extension of GNU C.
    if depth and code == gdb.TYPE_CODE_ERROR and plain.sizeof:
        return Scalar("opaque", symbol_names.text(plain.unqualified()), plain.sizeof)
    return _scalar(kind, plain)


def type_name(kind: gdb.Type, language: Names) -> str:
    """A type's name in the program's language: "struct particle", "type(particle)"."""
    if kind.code == gdb.TYPE_CODE_TYPEDEF:
        return symbol_names.of_type(kind)
    plain = kind.unqualified()
    word = "union" if plain.code == gdb.TYPE_CODE_UNION else "struct"
    name = symbol_names.tag(plain) or symbol_names.of_type(plain)
    if not name:
        return f"{word} {{...}}"
    if language.fortran:
        return f"type({name.rpartition('::')[2]})"
    return name if language.cxx else f"{word} {name}"


def _array(plain: gdb.Type, language: Names, depth: int) -> Type:
    if arrays.is_open(plain):
        name = symbol_names.text(plain)
        raise MpippError(f"the size of {name} is not known: name the elements with {name}@COUNT")
    low, high = plain.range()
    count, target = max(0, high - low + 1), plain.target()
    if not count or not plain.sizeof:  # a flexible array member has no size
        count = 0
    element = model(target, language, depth + 1)
    stride = plain.sizeof // count if count else element.size
    if stride < element.size:
        name = symbol_names.text(plain)
        raise MpippError(f"the shape of {name} is not known here: name the elements as x[0]@COUNT")
    section = stride if stride > element.size else 0
    return Array(element, count, low, language.fortran, stride=section)


def _record(kind: gdb.Type, plain: gdb.Type, language: Names, depth: int) -> Record:
    name = type_name(kind, language)
    if not symbol_names.fields(plain) and not plain.sizeof and not _is_empty(plain):
        raise MpippError(
            f"{name} is incomplete here: its members are not in the debug information of this file"
        )
    union = plain.code == gdb.TYPE_CODE_UNION
    members = list(_members(plain, language, depth))
    if not union:
        members.sort(key=lambda member: member.offset)
    special = any(field.is_base_class or field.artificial for field in symbol_names.fields(plain))
    return Record(
        name=name,
        size=plain.sizeof,
        members=tuple(members),
        union=union,
        fortran=language.fortran,
        cxx=special,
    )


def _has_virtual_base(kind: gdb.Type) -> bool:
    pending, looked_at = [kind], 0
    while pending:
        plain = pending.pop().strip_typedefs()
        bases = [field for field in _fields(plain) if field.is_base_class]
        looked_at += len(bases)
        if any(_place(field) is None for field in bases):
            return True
        if looked_at > _MOST_MEMBERS:
            raise MpippError(
                f"{symbol_names.text(kind)} has more than {_MOST_MEMBERS} base classes"
            )
        pending += [field.type for field in bases]
    return False


def _fields(plain: gdb.Type) -> list[gdb.Field]:
    return symbol_names.fields(plain) if plain.code == gdb.TYPE_CODE_STRUCT else []


def _is_empty(plain: gdb.Type) -> bool:
    # Return whether a struct has no members; for an incomplete type they are unknown.
    try:
        return not symbol_names.of_type(plain) or "<incomplete type>" not in _declaration(plain)
    except gdb.error:
        return False


def _declaration(plain: gdb.Type) -> str:
    # The text of a type from gdb. The command has no name of a type, because it may be any text.
    gdb.set_convenience_variable(_SHOWN, gdb.Value(0).cast(plain.pointer()))
    try:
        return console.output("ptype/r *${}", _SHOWN)
    finally:
        gdb.set_convenience_variable(_SHOWN, None)


def _members(plain: gdb.Type, language: Names, depth: int) -> Iterator[Member]:
    fields = [field for field in symbol_names.fields(plain) if _place(field) is not None]
    language.left[0] -= len(fields)
    if language.left[0] < 0:
        raise MpippError(f"{type_name(plain, language)} has more than {_MOST_MEMBERS} members")
    inline = plain.code == gdb.TYPE_CODE_STRUCT
    access = _access(plain) if language.access and language.cxx else _Access((), {})
    bases = iter(access.bases)
    own: list[Member] = []
    inherited: list[tuple[str, Member]] = []  # base class, member
    for number, field in enumerate(fields):
        offset = (_place(field) or 0) // 8
        name = symbol_names.field(field)
        if field.bitsize:
            continue
        hidden = next(bases, "") if field.is_base_class else ""
        after = (_place(later) for later in fields[number + 1 :])
        end = min((bit // 8 for bit in after if bit is not None), default=plain.sizeof)
        elsewhere = _indirect(field, end - offset, language)
        if elsewhere is not None:
            own.append(Member(name, offset, elsewhere, access.members.get(name, "")))
            continue
        inner = model(field.type, language, depth + 1)
        nameless = field.is_base_class or not name
        if inline and nameless and isinstance(inner, Record) and not inner.union:
            for member in inner.members:
                if field.is_base_class:
                    member = member._replace(hidden=hidden or member.hidden)
                    base = name.replace("(anonymous namespace)::", "")
                    inherited.append((base, member._replace(offset=offset + member.offset)))
                else:
                    hidden = access.members.get(member.name, "")
                    own.append(member._replace(offset=offset + member.offset, hidden=hidden))
        elif inner.size and not (isinstance(inner, Record) and not inner.members):
            if field.artificial and name.startswith("_vptr"):
                inner = Scalar("vptr", "virtual table", inner.size)
            name = "" if field.is_base_class else name
            own.append(Member(name, offset, inner, access.members.get(name, "")))
    own += _bit_fields(fields, plain.sizeof)
    yield from own
    count = Counter([member.name for member in own] + [member.name for _, member in inherited])
    for base, member in inherited:
        # The name of the class distinguishes members of the same name.
        several = member.name and count[member.name] > 1
        yield member._replace(name=f"{base}::{member.name}") if several else member


class _Access(NamedTuple):
    # "private" or "protected" for each member by name, and for base classes by their position; ""
    # if public.
    bases: tuple[str, ...]
    members: dict[str, str]


def _access(plain: gdb.Type) -> _Access:
    # gdb shows access only in its text of a class, not in its Python API.
    found: dict[str, str] = {}
    if not symbol_names.of_type(plain):
        return _Access((), found)
    first, *lines = _declaration(plain).splitlines()
    bases = tuple(word.replace("public", "") for word in _BASE.findall(first))
    # Not all versions of gdb write "private:" first.
    word = "private" if first.startswith("type = class ") else ""
    nested: list[str] = []  # members of an anonymous struct belong to the class
    for line in lines:
        label = _LABEL.match(line)
        member = _MEMBER.match(line)
        if label:
            word = "" if label[1] == "public" else label[1]
        elif member and member[1]:
            nested.append(member[2])
        elif line == "    };" or (member and line.startswith("    }")):
            found.update(dict.fromkeys(nested if line == "    };" and word else (), word))
            nested = []
        if member and not member[1] and word:
            found[member[2]] = word
    return _Access(bases, found)


def _place(field: gdb.Field) -> int | None:
    # The position of a member in bits; None for static members, and for virtual base classes, whose
    # position differs between objects.
    found: int | None = getattr(field, "bitpos", None)
    return found


def _bit_fields(fields: list[gdb.Field], size: int) -> Iterator[Member]:
    # MPI addresses no bits. So bit fields in one storage unit, or with a shared byte, are one
    # member.
    units: dict[tuple[int, int], list[gdb.Field]] = {}
    for field in fields:
        if field.bitsize and symbol_names.field(field):
            unit = field.type.sizeof
            units.setdefault((field.bitpos // 8 // unit * unit, unit), []).append(field)
    # Groups: first byte, end of the bits, end of the storage unit, bit fields.
    groups: list[tuple[int, int, int, list[gdb.Field]]] = []
    for (at, unit), shared in units.items():
        first = min(field.bitpos for field in shared) // 8
        last = -(-max(field.bitpos + field.bitsize for field in shared) // 8)
        full = at + unit
        if groups and first < groups[-1][1]:
            first, before, end, others = groups.pop()
            last, full, shared = max(last, before), max(full, end), others + shared
        groups.append((first, last, full, shared))
    starts = [field.bitpos // 8 for field in fields if not field.bitsize]
    starts += [first for first, *_ in groups]
    for first, last, full, shared in groups:
        following = min((start for start in starts if start >= last), default=size)
        shared.sort(key=lambda field: field.bitpos)
        name = ",".join(f"{symbol_names.field(field)}:{field.bitsize}" for field in shared)
        yield Member(name, first, Scalar("bits", name, max(last, min(full, following)) - first))


def _indirect(field: gdb.Field, size: int, language: Names) -> Scalar | None:
    # An allocatable or pointer component is an array, or part of one, with a shape known only at
    # run time. A derived type with such a component is dynamic as well. Components that the
    # compiler adds (_str_length) have names that Fortran does not allow. gdb knows no size of
    # std::nullptr_t.
    plain = field.type.strip_typedefs()
    if plain.code == gdb.TYPE_CODE_VOID:
        return Scalar("pointer", symbol_names.text(field.type), size)
    is_hidden = language.fortran and symbol_names.field(field).startswith("_")
    added = is_hidden and plain.code == gdb.TYPE_CODE_INT
    text = symbol_names.text(plain) if plain.code == gdb.TYPE_CODE_ARRAY else ""
    shape = "allocatable" in text or _ASSUMED.search(text)
    return Scalar("descriptor", symbol_names.text(field.type), size) if added or shape else None


def _scalar(kind: gdb.Type, plain: gdb.Type) -> Scalar:
    code, size = plain.code, plain.sizeof
    name = _standard_name(kind) or _plain_name(plain)
    if code in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD):
        if code != gdb.TYPE_CODE_VOID:
            raise MpippError(
                f"{symbol_names.text(kind)} is the type of a function: name a variable or its type"
            )
        raise MpippError(
            "void has no members: cast the pointer to the type of its object: *(TYPE *) POINTER"
        )
    if code == gdb.TYPE_CODE_ERROR:
        raise MpippError("its type is not known: compile that file with debug information (-g)")
    fortran = "(kind=" in name or name.startswith("character")
    if code == gdb.TYPE_CODE_INT and name == "wchar_t":
        return Scalar("wchar", name, size)
    if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_RANGE):
        if name in ("char", "character", "char8_t") or (
            fortran and code == gdb.TYPE_CODE_CHAR and size == 1
        ):
            return Scalar("char", name, size)
        # Characters of ISO 10646, for which MPI has no datatype.
        if fortran and code == gdb.TYPE_CODE_CHAR:
            return Scalar("opaque", name, size)
        return Scalar("signed" if is_signed(plain) else "unsigned", name, size)
    if code == gdb.TYPE_CODE_BOOL:
        return Scalar("logical" if fortran else "bool", name, size)
    return Scalar(_KINDS.get(code, "opaque"), name, size)


_KINDS = {
    gdb.TYPE_CODE_FLT: "float",
    gdb.TYPE_CODE_COMPLEX: "complex",
    gdb.TYPE_CODE_ENUM: "enum",
    gdb.TYPE_CODE_FLAGS: "enum",
    gdb.TYPE_CODE_PTR: "pointer",
    gdb.TYPE_CODE_MEMBERPTR: "pointer",
    gdb.TYPE_CODE_METHODPTR: "pointer",
    gdb.TYPE_CODE_REF: "reference",
    gdb.TYPE_CODE_RVALUE_REF: "reference",
}


def is_signed(plain: gdb.Type) -> bool:
    """Return whether an integer type is signed."""
    try:
        return int(gdb.Value(-1).cast(plain)) < 0
    except (gdb.error, OverflowError):
        return "unsigned" not in symbol_names.text(plain)


def _standard_name(kind: gdb.Type) -> str:
    while kind.code == gdb.TYPE_CODE_TYPEDEF:
        found = _STANDARD.match(symbol_names.of_type(kind))
        if found:
            return found[1]
        kind = kind.target()
    return ""


def _plain_name(plain: gdb.Type) -> str:
    # The order of the words differs between compilers: "long unsigned int", "unsigned long".
    words = [word for word in symbol_names.text(plain.unqualified()).split() if word != "_Atomic"]
    if set(words) <= {"long", "short", "unsigned", "signed", "int"}:
        ordered = [word for word in ("unsigned",) if word in words]
        ordered += [word for word in words if word in ("long", "short")]
        return " ".join(ordered if ordered and ordered != ["unsigned"] else [*ordered, "int"])
    return " ".join(words)
