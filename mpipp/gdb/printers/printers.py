# SPDX-License-Identifier: MIT
"""The pretty-printers for MPI handles, communication buffers, and the parts of both."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import gdb
import gdb.printing

from mpipp.common.errors import MpippError, NoRecords, NoWrapper
from mpipp.common.text.sanitize import plain
from mpipp.datatypes.values.nodes import Node
from mpipp.gdb import console, notices
from mpipp.gdb.printers import buffer_lookup, native_values, token_targets
from mpipp.gdb.program import cxx_containers, handles, sessions, statuses, tokens
from mpipp.model import KINDS
from mpipp.render import object_structs, structure
from mpipp.render.datatype_structs import Constant
from mpipp.render.structure import Shown

# Since gdb 14, this base class marks printers that have more methods than before.
_Printer: Any = getattr(gdb, "ValuePrinter", object)


_first: cxx_containers.First | None = None


def register() -> None:
    """Put the printers before all others, and remove an earlier registration of them."""
    global _first
    collection = _Collection()
    gdb.printing.register_pretty_printer(None, collection, replace=True)
    _first = cxx_containers.First(collection)
    _first.register()


def unregister() -> None:
    """Let the C++ library's own printers show its containers again."""
    if _first is not None:
        _first.unregister()


class _Collection(gdb.printing.PrettyPrinter):
    # gdb calls this for every value that it prints.

    def __init__(self) -> None:
        self._handles = {kind: _Subprinter(f"MPI_{kind.capitalize()}") for kind in KINDS}
        self._buffers = _Subprinter("buffer")
        self._statuses = _Subprinter("MPI_Status")
        every = [*self._handles.values(), self._statuses, self._buffers]
        super().__init__("mpipp", every)

    def __call__(self, value: gdb.Value) -> Any:
        # gdb would print an exception amid its output.
        try:
            return self._printer(value)
        except (gdb.error, MpippError, RecursionError, OverflowError):
            return None

    def _printer(self, value: gdb.Value) -> Any:
        key = tokens.key(value)
        if key is not None:
            return printer(key, token_targets.find(key))
        handle = handles.of(value)
        if handle is not None:
            return _handle(handle) if self._handles[handle.kind].enabled else None
        if self._statuses.enabled and statuses.is_status(value.type):
            return _Word(statuses.text(value, sessions.required()))
        if self._buffers.enabled:
            found = buffer_lookup.printed(value)
            if found is not None:
                return printer(found.key, token_targets.find(found.key), found.summary)
        return None


class _Subprinter:
    # The printer by which `info pretty-printer` lists all of mpipp's, to disable them.

    def __init__(self, name: str) -> None:
        self.name = name
        self.enabled = True


def _handle(handle: handles.Handle) -> Any:
    try:
        session = sessions.required()
        found = handles.denoted(handle, session)
    except NoWrapper as error:
        notices.missing(error)
        return None
    except NoRecords:
        return _Word(handle.unknown)
    except MpippError as error:
        return _Word(f"<{error}>")
    if found is None:
        return _Word(handle.unknown)
    root = token_targets.Object.of(session, found)
    key = tokens.Key(root)
    return printer(key, token_targets.find(key), object_structs.summary(found))


def printer(key: tokens.Key, what: Shown, summary: str = "{...}") -> Any:
    """A pretty-printer for an object or a part of it; `key` identifies it."""
    if isinstance(what, Constant):
        return _Word(what)
    if isinstance(what, int):
        return _Word(str(what))
    if isinstance(what, str):
        return _Text(what)
    if isinstance(what, Node) and what.kind in ("scalar", "text"):
        return _Word(native_values.text(what))
    return _Tree(key, what, summary)


class _Word(_Printer):
    # Shows a text without quotes.

    def __init__(self, text: str) -> None:
        self._text = console.encodable(plain(str(text), ""))

    def to_string(self) -> str:
        return self._text


class _Text(_Printer):
    # Shows a text as gdb writes strings, in quotes.

    def __init__(self, text: str) -> None:
        self._text = console.encodable(text)

    def to_string(self) -> str:
        return self._text

    def display_hint(self) -> str:
        return "string"


class _Tree(_Printer):
    # Shows a struct or an array, with no text before the members: else DDD could not expand them.

    _asked: _Tree | None = None  # the printer whose `to_string` gdb called last

    def __init__(self, key: tokens.Key, what: Shown, summary: str) -> None:
        self._key = key
        self._what = what
        self._summary = console.encodable(summary)
        self._names = structure.names(what)

    def to_string(self) -> str | None:
        # To print a value, gdb calls this and then asks for the children. For a node in a front
        # end's tree (MI's variable objects), gdb asks for the children without this call. Or it
        # prints the value in between (gdb 16): then the next call goes to another printer of the
        # same part.
        before, _Tree._asked = _Tree._asked, self
        if self._key.in_tree and before not in (None, self) and before._key == self._key:
            return "{...}"
        return self._summary if _is_summary() or _is_for_dap() else None

    @property
    def children(self) -> Callable[[], Iterator[tuple[str, Any]]]:
        if _is_summary():
            raise AttributeError("children")
        return self._children

    def display_hint(self) -> str | None:
        return None if self._names else "array"

    def num_children(self) -> int:
        return structure.count(self._what)

    def child(self, i: int) -> tuple[str, Any]:
        return self._name(i), _part(self._key, self._what, i)

    def _children(self) -> Iterator[tuple[str, Any]]:
        if _Tree._asked is not self:
            return self._nodes()
        # gdb prints each new node of a tree although nobody sees it, so print it without members.
        numbers = range(0 if self._key.in_tree else structure.count(self._what))
        return map(self.child, numbers)

    def _nodes(self) -> Iterator[tuple[str, Any]]:
        # gdb makes a node of every child up to the last that a front end requests. So a long array
        # is divided, or its last items would take minutes.
        key = self._key._replace(in_tree=True)
        slices = list(structure.slices(self._what))
        for items in slices:
            yield f"[{items[0]} .. {items[-1]}]", _part(key, self._what, items)
        for i in structure.indices(self._what) if not slices else ():
            yield self._name(i), _part(key, self._what, i)

    def _name(self, i: int) -> str:
        return console.encodable(plain(self._names[i], "")) if self._names else f"[{i}]"


def _part(key: tokens.Key, what: Shown, i: int | range) -> Any:
    # A part in a form that gdb accepts: a number, a value, or a token.
    try:
        part = structure.part(what, i)
        # gdb prints its own arrays fast. But in a front end's tree, gdb would not divide them, and
        # would show a text as an array of characters.
        native = None if key.in_tree and structure.count(part) else native_values.of(part)
    except (gdb.error, MpippError, RecursionError, OverflowError) as error:
        part, native = Constant(f"<{error}>"), None
    if native is not None:
        return native
    return tokens.value(token_targets.remember(key._replace(path=(*key.path, i)), part))


def _is_summary() -> bool:
    options = getattr(gdb, "print_options", None)
    return bool(options and options().get("summary"))


def _is_for_dap() -> bool:
    # Return whether the Debug Adapter Protocol called the printer's method. Clients of that
    # protocol need a text beside the children. Python calls the method for DAP, gdb's or mpipp's;
    # gdb itself does in other cases.
    try:
        caller = sys._getframe(2)
    except ValueError:
        return False
    return str(caller.f_globals.get("__name__")).startswith(("gdb.dap.", "mpipp.gdb.dap."))
