# SPDX-License-Identifier: MIT
"""The variables of frames, which are read only when the client opens them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import gdb

from mpipp.common.errors import MpippError
from mpipp.dap.arguments import Arguments, optional, required
from mpipp.gdb import console
from mpipp.gdb.dap import children
from mpipp.gdb.dap.children import Child
from mpipp.gdb.dap.stack import Frames
from mpipp.gdb.program import symbol_names

ARGUMENTS, LOCALS, FILE, REGISTERS = "Arguments", "Locals", "File", "Registers"
_HINTS = {ARGUMENTS: "arguments", LOCALS: "locals", REGISTERS: "registers"}
_EXPENSIVE = (FILE, REGISTERS)
_NONE_READ = (gdb.SYMBOL_LOC_TYPEDEF, gdb.SYMBOL_LOC_CONST, gdb.SYMBOL_LOC_BLOCK)


class _Scope(NamedTuple):
    frame: int
    thread: int
    name: str


class _Node(NamedTuple):
    frame: int  # 0: the value belongs to no frame
    thread: int
    child: Child


class Variables:
    """The scopes and values that the client can open, by their references."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._nodes: dict[int, _Scope | _Node] = {}
        self._next = 1

    def forget(self, threads: set[int]) -> None:
        """Forget the variables of threads that run."""
        for key in [key for key, node in self._nodes.items() if node.thread in threads]:
            del self._nodes[key]

    def scopes(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `scopes`. Raises MpippError."""
        number = required(arguments, "frameId", int)
        if self._frames.is_python(number):
            return {"scopes": []}
        thread = self._frames.select(number).thread
        names = [REGISTERS]
        if _block() is not None:
            has_arguments = bool(_symbols(ARGUMENTS))
            names = [*([ARGUMENTS] if has_arguments else []), LOCALS, FILE, REGISTERS]
        found = []
        for name in names:
            scope = {"name": name, "expensive": name in _EXPENSIVE}
            scope["variablesReference"] = self._keep(_Scope(number, thread, name))
            if name in _HINTS:
                scope["presentationHint"] = _HINTS[name]
            found.append(scope)
        return {"scopes": found}

    def variables(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `variables`. Raises MpippError."""
        node = self._node(required(arguments, "variablesReference", int))
        start, number = optional(arguments, "start", 0), optional(arguments, "count", 0)
        if min(start, number) < 0:
            raise MpippError("start and count must not be negative")
        wanted = optional(arguments, "filter", "")
        found = [] if _is_left_out(node, wanted) else self._children(node, start, number)
        return {"variables": [self.shown(node.frame, node.thread, one) for one in found]}

    def _children(self, node: _Scope | _Node, start: int, number: int) -> list[Child]:
        if isinstance(node, _Node):
            return children.children(node.child, start, number)
        every = _registers() if node.name == REGISTERS else _of_frame(node.name)
        return list(every)[start : start + number if number else None]

    def set(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `setVariable`. Raises MpippError."""
        node, found = self.named(arguments)
        value = assign(found, required(arguments, "value", str))
        return self.described(node.frame, node.thread, found._replace(value=value))

    def named(self, arguments: Arguments) -> tuple[_Scope | _Node, Child]:
        """Return the child that a request names, with its parent. Raises MpippError."""
        node = self._node(required(arguments, "variablesReference", int))
        name = required(arguments, "name", str)
        found = next((one for one in self._children(node, 0, 0) if one.name == name), None)
        if found is None:
            raise MpippError(f"there is no variable {name} here")
        return node, found

    def shown(self, frame: int, thread: int, child: Child) -> dict[str, Any]:
        """Return the description of a variable for the client."""
        body = {"name": child.name, **self.described(frame, thread, child)}
        if child.expression:
            body["evaluateName"] = child.expression
        return body

    def described(self, frame: int, thread: int, child: Child) -> dict[str, Any]:
        """Return the description of a value for the client, with a reference if the value has
        children."""
        value = child.value
        text = children.text(value)
        body: dict[str, Any] = {"value": text, "variablesReference": 0}
        try:
            number, kind = children.count(value), children.type_text(value)
        except (gdb.error, MpippError):
            return body
        if kind:
            body["type"] = kind
        if number.named or number.indexed:
            body["variablesReference"] = self._keep(_Node(frame, thread, child))
            if number.indexed > 0:
                body["indexedVariables"] = number.indexed
            if number.named > 0:
                body["namedVariables"] = number.named
        return body

    def _keep(self, node: _Scope | _Node) -> int:
        self._nodes[self._next] = node
        self._next += 1
        return self._next - 1

    def _node(self, reference: int) -> _Scope | _Node:
        # Select the frame of the value, because gdb reads registers and memory of the selected
        # frame.
        node = self._nodes.get(reference)
        if node is None:
            raise MpippError(f"there is no variable {reference}: its rank has run since")
        if node.frame:
            self._frames.select(node.frame)
        return node


def _is_left_out(node: _Scope | _Node, wanted: str) -> bool:
    if not wanted:
        return False
    indexed = isinstance(node, _Node) and children.count(node.child.value).indexed > 0
    return (wanted == "indexed") != indexed


def _block() -> gdb.Block | None:
    try:
        return gdb.selected_frame().block()
    except RuntimeError:  # no debug information
        return None


def _symbols(scope: str) -> list[gdb.Symbol]:
    # The innermost variable with a name hides the others.
    block, found = _block(), dict[str, gdb.Symbol]()
    if block is None:
        return []
    if scope == FILE:
        return sorted(_of_file(block), key=lambda one: str(one.name))
    while block is not None and not (block.is_static or block.is_global):
        for one in block:
            is_wanted = one.is_argument if scope == ARGUMENTS else _is_local(one)
            if is_wanted:
                found.setdefault(one.name, one)
        block = None if block.function is not None else block.superblock
    return list(found.values())


def _is_local(one: gdb.Symbol) -> bool:
    return one.is_variable and not one.is_argument and one.addr_class not in _NONE_READ


def _of_file(block: gdb.Block) -> Iterator[gdb.Symbol]:
    for one in (block.static_block, block.global_block):
        yield from (symbol for symbol in one or () if _is_local(symbol))


def _of_frame(scope: str) -> Iterator[Child]:
    frame = gdb.selected_frame()
    for one in _symbols(scope):
        name = symbol_names.symbol(one)
        try:
            value: Any = one.value(frame) if one.needs_frame else one.value()
        except (gdb.error, MpippError) as error:
            value = f"<{error}>"
        yield Child(name, value, children.identifier(name))


def _registers() -> Iterator[Child]:
    frame = gdb.selected_frame()
    for one in frame.architecture().registers("general"):
        yield Child(one.name, frame.read_register(one), f"${one.name}")


def assign(child: Child, text: str) -> gdb.Value:
    """Set a variable to the value of an expression; returns the value. Raises MpippError."""
    if not isinstance(child.value, gdb.Value):
        raise MpippError(f"{child.name} cannot be set: it is no variable of the program")
    try:
        if child.expression:
            console.execute("set variable {} = ({})", child.expression, text)
            return console.value(child.expression)
        return _stored(child, console.value(text))
    except gdb.error as error:
        raise MpippError(str(error).rstrip(".")) from None


def _stored(child: Child, value: gdb.Value) -> gdb.Value:
    # Write to the address of the variable, because no expression denotes it.
    address = child.value.address
    if address is None:
        raise MpippError(f"{child.name} cannot be set: it is not in memory")
    gdb.set_convenience_variable("mpipp_target", address)
    gdb.set_convenience_variable("mpipp_value", value)
    with console.language_c():
        console.execute("set variable *$mpipp_target = $mpipp_value")
    return address.dereference()
