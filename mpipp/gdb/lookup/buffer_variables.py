# SPDX-License-Identifier: MIT
"""Which variable of the program is a communication buffer, and of what type?

The search covers the frames that called MPI, innermost first, then variables of the caller's file
and of the program. A variable matches if it contains the address, or points to it or into the same
heap block. So does a member or a container of such a variable.
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
_MOST_MEMBERS = 100  # of one variable
_DEEPEST = 3
_LARGEST_BLOCK = 1 << 40
_PREVIOUS_IN_USE, _MMAPPED = 1, 2  # flags of glibc's word before a block
_PAGE = 4096
_REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
_RECORDS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
_BYTES = ("char", "unsigned char", "signed char", "std::byte")  # what may point to anything


class Holder(NamedTuple):
    """A variable of the program: the buffer begins `origin` bytes in it."""

    object: Object
    origin: int
    frame: gdb.Frame | None  # that has it; None: it is global


def use(holder: Holder, is_declared: bool = False) -> Use:
    """The holder as the checks see it."""
    found = holder.object
    return Use(found.layout, holder.origin, found.open, is_declared)


def holding(address: int, caller: gdb.Frame) -> Holder | None:
    """The variable that holds the data at `address`, as `caller` and its callers see it."""
    # gdb warns of objects that are not made yet.
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
    """All that hold the data at `address`, and whether it is declared there, not pointed to.

    None for a pointer to it that says nothing of its type: to void, or to characters.
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
    except gdb.error:  # optimized out, or a reference to nowhere
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
    # The linker knows which variable an address belongs to.
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
    """Return whether what lies at an address is a variable of that name, or no static one.

    Other symbols, as those of Fortran's common blocks, may be larger than the variable.
    """
    symbol = _SYMBOL.match(console.output("info symbol {:#x}", address))
    return symbol is None or name in symbol[1]


def _best(address: int, variables: Iterator[_Variable], language: Names) -> Holder | None:
    # A variable that contains the address is surer than a pointer that leads to it.
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
    except gdb.error:  # optimized out, or a reference to nowhere
        return


def _with_members(
    value: gdb.Value, name: str, budget: list[int], depth: int, language: Names
) -> Iterator[tuple[str, gdb.Value]]:
    # A value, and what its members are; one pointer further where that leads to a struct.
    if value.type.code in _REFERENCES:
        value = value.referenced_value()
    budget[0] -= 1
    if not name.endswith("->"):  # not a base class of what a pointer points to
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
        return None  # without asking for its type
    found = named_objects.of_value(value, name, language)
    size = found.layout.kind.size
    # An array of variable length that is not yet declared has any length.
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
    # Bytes of the block that malloc gave out at `start`, by glibc's word before it; 0: unlikely.
    if start % 16 or start < 1 << 12:
        return 0
    word = _word(start - 8)
    size = word & ~7
    if not 32 <= size < _LARGEST_BLOCK or size % 16:
        return 0
    if word & _MMAPPED:
        return size - 8 if start % _PAGE == 16 and not size % _PAGE else 0
    # If this is a block, the header of the next one marks it as in use. Other memory has no mark.
    return size - 8 if _word(start - 8 + size) & _PREVIOUS_IN_USE else 0


def _word(address: int) -> int:
    try:
        word = InferiorMemory(gdb.selected_inferior()).read(address, 8)
    except UnreadableMemory:
        return 0
    return int.from_bytes(word, sys.byteorder)
