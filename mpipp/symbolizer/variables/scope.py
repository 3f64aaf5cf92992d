# SPDX-License-Identifier: MIT
"""The variables that are visible in a function on the stack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mpipp.program_types.types import Type
from mpipp.symbolizer import stack_variables
from mpipp.symbolizer.inlined_functions import name_of
from mpipp.symbolizer.variables import debug_types
from mpipp.symbolizer.variables.expressions import CallMemory, Frame

_NO_OFFSPRING = ("std", "__gnu_cxx", "__gnu_debug", "__cxxabiv1")  # namespaces of the C++ library
_ROOMS = ("DW_TAG_module", "DW_TAG_namespace", "DW_TAG_common_block")
_STATIC = (0x03, 0xA1)  # DW_OP_addr, DW_OP_addrx


class Scope(NamedTuple):
    """A function on the stack, with its debug information.

    Attributes:
        entry: the function's debug entry.
        address: the file's address at which the function continues.
        unit: top entry of its compilation unit.
        debug: the file's whole debug information.
        bias: difference between process and file addresses.
        cfa: the canonical frame address.
        line: number of the line; 0: unknown.
        registers: values of the known registers, by DWARF's numbers.
        is_caller: whether it is the function that calls MPI.
        statements: the sources of the statements that it and the functions inlined there execute,
            outermost first; None if its code is not optimized.
    """

    entry: Any
    address: int
    unit: Any
    debug: Any
    bias: int
    cfa: int
    line: int = 0
    registers: Mapping[int, int] = MappingProxyType({})
    is_caller: bool = False
    statements: tuple[str, ...] | None = None

    def may_share_memory(self, entry: Any) -> bool:
        """Return whether other data may lie in the memory of a variable on the stack.

        Optimizing compilers let temporaries, such as Fortran's array constructors, share the memory
        of variables that the function does not use yet. A function that is inlined there may use
        the name for another variable.
        """
        if self.statements is None:
            return False
        name = name_of(entry)
        flags = re.IGNORECASE if debug_types.is_fortran(self.entry) else 0
        named = re.compile(rf"\b{re.escape(name)}\b", flags)
        levels = stack_variables.declared(self.entry, self.address, self.debug)
        if len(levels) != len(self.statements):
            return not all(map(named.search, self.statements))
        is_visible = False
        for level, statement in zip(levels, self.statements):
            if any(one.offset == entry.offset for one in level):
                is_visible = True
            elif any(name_of(one) == name for one in level):
                is_visible = False
            if is_visible and named.search(statement):
                return False
        return True

    def type_of(self, name: str) -> Type | None:
        """Return the type of the innermost variable or constant with a name in Fortran.

        None if it is unknown. A function that is inlined does not see its caller's variables.
        """
        every = stack_variables.declared(self.entry, self.address, self.debug)[-1]
        named = [one for one in every if name_of(one).lower() == name.lower()]
        kind = debug_types.target(named[-1]) if named else None
        try:
            return None if kind is None else debug_types.model(kind)
        except debug_types.NoLayout:
            return None

    def frame(self, memory: CallMemory) -> Frame:
        """The context of expressions for the function's variables."""
        base = self.entry.attributes.get("DW_AT_frame_base")
        frame_base = bytes(base.value) if base is not None and is_block(base) else b""
        return Frame(self.cfa, frame_base, self.bias, memory, self.registers)


def is_later(entry: Any, line: int) -> bool:
    """Return whether a variable is declared below the current line.

    Such a variable is not constructed yet, so its memory has no meaning.
    """
    declared = _declared_line(entry)
    location = entry.attributes.get("DW_AT_location")
    is_static = location is not None and is_block(location) and location.value[0] in _STATIC
    is_c = entry.tag == "DW_TAG_variable" and not debug_types.is_fortran(entry)
    return bool(line) and is_c and not is_static and declared > line


def _declared_line(entry: Any) -> int:
    # 0: unknown.
    for link in ("", "DW_AT_abstract_origin"):
        if link in entry.attributes:
            entry = entry.get_DIE_from_attribute(link)
        declared = entry.attributes.get("DW_AT_decl_line")
        if declared is not None:
            return int(declared.value)
    return 0


def is_block(attribute: Any) -> bool:
    """Return whether the value of an attribute is an expression."""
    return isinstance(attribute.value, (list, tuple, bytes))


def static_variables(
    scopes: Iterable[Scope], memory: CallMemory
) -> Iterator[tuple[Any, Scope, Frame]]:
    """Yield the static variables of the functions' source files, also in modules and namespaces.

    Each variable comes with a function of its file, and the context for its expressions.
    """
    seen = set()
    for scope in scopes:
        if scope.unit.offset not in seen:
            seen.add(scope.unit.offset)
            frame = Frame(None, b"", scope.bias, memory)
            for entry in _static_variables(scope.unit):
                yield entry, scope, frame


def _static_variables(entry: Any) -> Iterator[Any]:
    for child in debug_types.children(entry):
        if child.tag == "DW_TAG_variable":
            yield child
        elif child.tag in _ROOMS and name_of(child) not in _NO_OFFSPRING:
            yield from _static_variables(child)
