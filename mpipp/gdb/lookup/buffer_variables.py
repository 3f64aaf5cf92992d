# SPDX-License-Identifier: MIT
"""Find the variable of the program that a communication buffer belongs to, and its type.

The search covers the frames that called MPI, innermost first, then variables of the caller's file
and of the program. A variable matches if it contains the address, or points to it or into the same
heap block. A member or a container of such a variable matches, too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import gdb

from mpipp.analysis.program_objects.datatype_fit import Use
from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.gdb import console
from mpipp.gdb.lookup import named_objects
from mpipp.gdb.lookup.named_objects import Object
from mpipp.gdb.parser import expressions
from mpipp.gdb.program import cxx_containers, debug_types, symbol_names
from mpipp.gdb.program.debug_types import Names
from mpipp.gdb.program.inferior_memory import InferiorMemory
from mpipp.program_types.compare import several

_SYMBOL = re.compile(r"(\w+)(?: \+ \d+)? in section")
_FRAMES = 32
_MOST_MEMBERS = 100  # members of one variable
_DEEPEST = 3
_LARGEST_BLOCK = 1 << 40
# Flags in the size word that glibc's malloc stores before a block.
_PREVIOUS_IN_USE, _MMAPPED = 1, 2
_PAGE = 4096
_REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
_RECORDS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
# Types that a pointer to any data may have.
_BYTES = ("char", "unsigned char", "signed char", "std::byte")


class Holder(NamedTuple):
    """A variable that holds a buffer. The buffer begins `origin` bytes after the
    variable's start."""

    object: Object
    origin: int
    frame: gdb.Frame | None  # the frame of a local variable; None for a global one


def use(holder: Holder, is_declared: bool = False) -> Use:
    """The variable in the form that the checks expect."""
    found = holder.object
    return Use(found.layout, holder.origin, found.open, is_declared)


def holding(address: int, caller: gdb.Frame) -> Holder | None:
    """The variable that holds the data at `address`, searched from the frame `caller` outwards."""
    # gdb warns about C++ objects whose constructor has not run yet.
    return console.quietly(lambda: _holding(address, caller))


def _holding(address: int, caller: gdb.Frame) -> Holder | None:
    language = debug_types.language_names()
    frame: gdb.Frame | None = caller
    for _ in range(_FRAMES):
        if frame is None:
            break
        found = _best(address, _locals(frame), language)
        if found is not None:
            return found._replace(frame=frame)
        frame = frame.older()
    found = _best(address, _globals(caller), language)
    return found or _best(address, _of_other_files(address), language)


def every(address: int, caller: gdb.Frame) -> list[tuple[Holder, bool] | None]:
    """Each variable that holds the data at `address`, with True if it contains the data.

    False means that the variable is a pointer to the data. None stands for a pointer to void or to
    characters, which does not show the type of the data.
    """
    return console.quietly(lambda: list(_every(address, caller)))


def _every(address: int, caller: gdb.Frame) -> Iterator[tuple[Holder, bool] | None]:
    language = debug_types.language_names()
    frame: gdb.Frame | None = caller
    for _ in range(_FRAMES):
        if frame is None:
            break
        for variable in _locals(frame):
            yield from _uses(address, variable, language)
        frame = frame.older()
    for variable in (*_globals(caller), *_of_other_files(address)):
        yield from _uses(address, variable, language)


def _uses(
    address: int, variable: _Variable, language: Names
) -> Iterator[tuple[Holder, bool] | None]:
    budget = [_MOST_MEMBERS]
    try:
        for name, value in _with_members(variable.value, variable.name, budget, _DEEPEST, language):
            pointer = value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR
            if pointer and int(value) == address and _is_of_any_type(value):
                yield None
                continue
            try:
                found = _holder(address, name, value, language)
            except (MpippError, gdb.error):
                continue
            if found is not None:
                yield found[1], found[0] == 0 and not pointer
    except gdb.error:  # optimized out, or an invalid reference
        return


def _is_of_any_type(pointer: gdb.Value) -> bool:
    target = pointer.type.strip_typedefs().target().strip_typedefs()
    return target.code == gdb.TYPE_CODE_VOID or symbol_names.text(target.unqualified()) in _BYTES


class _Variable(NamedTuple):
    name: str
    value: gdb.Value


def _locals(frame: gdb.Frame) -> Iterator[_Variable]:
    try:
        block = frame.block()
    except RuntimeError:  # no debug information
        return
    seen = set()
    while block is not None and not (block.is_static or block.is_global):
        for symbol in block:
            name = symbol_names.symbol(symbol)
            if (symbol.is_variable or symbol.is_argument) and name not in seen:
                seen.add(name)
                try:
                    yield _Variable(name, symbol.value(frame))
                except gdb.error:  # optimized out
                    continue
        block = block.superblock


def _globals(frame: gdb.Frame) -> Iterator[_Variable]:
    try:
        block = frame.block()
    except RuntimeError:
        return
    for chosen in (block.static_block, block.global_block):
        for symbol in chosen or ():
            if symbol.is_variable:
                try:
                    yield _Variable(symbol_names.symbol(symbol), symbol.value())
                except gdb.error:
                    continue


def _of_other_files(address: int) -> Iterator[_Variable]:
    # The linker's symbols show which global variable an address belongs to.
    symbol = _SYMBOL.match(console.output("info symbol {:#x}", address))
    if symbol is None:
        return
    try:
        with expressions.without_calls():
            value = console.value(symbol[1])
    except gdb.error:
        return
    yield _Variable(symbol[1], value)


def is_whole_symbol(address: int, name: str) -> bool:
    """Return whether the symbol at an address is the variable `name`; True also without a symbol.

    Some symbols contain more than one variable, for example a Fortran common block.
    """
    symbol = _SYMBOL.match(console.output("info symbol {:#x}", address))
    return symbol is None or name in symbol[1]


def _best(address: int, variables: Iterator[_Variable], language: Names) -> Holder | None:
    # Prefer a variable that contains the address to a pointer that leads to it.
    found: list[tuple[int, Holder]] = []
    for variable in variables:
        for surety, holder in _holders(address, variable, language):
            found.append((surety, holder))
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _holders(address: int, variable: _Variable, language: Names) -> Iterator[tuple[int, Holder]]:
    budget = [_MOST_MEMBERS]
    try:
        for name, value in _with_members(variable.value, variable.name, budget, _DEEPEST, language):
            try:
                found = _holder(address, name, value, language)
            except (MpippError, gdb.error):
                continue
            if found is not None:
                yield found
    except gdb.error:  # optimized out, or an invalid reference
        return


def _with_members(
    value: gdb.Value, name: str, budget: list[int], depth: int, language: Names
) -> Iterator[tuple[str, gdb.Value]]:
    # Yield a value, then its members. If the value points to a struct, yield the members of the
    # struct.
    if value.type.code in _REFERENCES:
        value = value.referenced_value()
    budget[0] -= 1
    if not name.endswith("->"):  # not a base class of the struct behind a pointer
        yield name, value
    kind = value.type.strip_typedefs()
    separator = "" if name.endswith("->") else "%" if language.fortran else "."
    if kind.code == gdb.TYPE_CODE_PTR and kind.target().strip_typedefs().code in _RECORDS:
        try:
            value = value.dereference()
            kind = value.type.strip_typedefs()
        except gdb.error:
            return
        separator = "->"
    if kind.code not in _RECORDS or not depth or cxx_containers.is_container(kind):
        return
    for field in symbol_names.fields(kind):
        if budget[0] <= 0 or not hasattr(field, "bitpos") or field.bitsize:
            continue
        inner = field.type.strip_typedefs().code
        if inner == gdb.TYPE_CODE_PTR or inner in _RECORDS or inner == gdb.TYPE_CODE_ARRAY:
            try:
                member = symbol_names.member(value, field)
            except gdb.error:
                continue
            own = symbol_names.field(field)
            path = f"{name}{separator}{own}"
            if field.is_base_class or not own:
                path = f"{name}->" if separator == "->" else name
            yield from _with_members(member, path, budget, depth - 1, language)


def _holder(
    address: int, name: str, value: gdb.Value, language: Names
) -> tuple[int, Holder] | None:
    kind = value.type.strip_typedefs()
    start = cxx_containers.elements(value)
    surety = 0
    if kind.code == gdb.TYPE_CODE_PTR:
        target = kind.target().strip_typedefs()
        if target.code in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD):
            return None
        start = int(value)
        surety = (
            3 if symbol_names.text(target.unqualified()) in _BYTES else 1 if start == address else 2
        )
    if start and start != address and not 0 < address - start < _heap_block(start):
        return None  # skip the type, which is slow to read
    found = named_objects.of_value(value, name, language)
    size = found.layout.kind.size
    # Before its declaration, a variable length array has a random length.
    if found.address is None or not 0 < size < _LARGEST_BLOCK:
        return None
    at = address - found.address
    if found.open and at:
        block = several(found.layout, _heap_block(found.address) // size)
        block = replace(block, type=f"{found.layout.type} in a heap block")
        found = Object(block, found.address, False)
    if not found.open and not 0 <= at < found.layout.kind.size:
        return None
    return surety, Holder(found, at, None)


def _heap_block(start: int) -> int:
    # The size in bytes of the malloc block at `start`, from the word that glibc stores before it. 0
    # if the word looks like no size of a block.
    if start % 16 or start < 1 << 12:
        return 0
    word = _word(start - 8)
    size = word & ~7
    if not 32 <= size < _LARGEST_BLOCK or size % 16:
        return 0
    if word & _MMAPPED:
        return size - 8 if start % _PAGE == 16 and not size % _PAGE else 0
    # If this is a block, the header of the next block marks it as in use. Other memory has no mark.
    return size - 8 if _word(start - 8 + size) & _PREVIOUS_IN_USE else 0


def _word(address: int) -> int:
    try:
        word = InferiorMemory(gdb.selected_inferior()).read(address, 8)
    except UnreadableMemory:
        return 0
    return int.from_bytes(word, sys.byteorder)
