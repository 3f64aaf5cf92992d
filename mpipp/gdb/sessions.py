# SPDX-License-Identifier: MIT
"""The registry of each inferior, found when needed and forgotten when the process runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import gdb

from mpipp.errors import MpippError, NoWrapper
from mpipp.gdb.printing.tokens import Key
from mpipp.gdb.program import sites
from mpipp.gdb.program.memory import InferiorMemory, core_sections
from mpipp.model import Broken, Object
from mpipp.registry.reader import Registry, find_in
from mpipp.show.structure import Shown

_SYMBOL = "mpipp_registry"
_EVENTS = (
    "stop",
    "cont",
    "exited",
    "new_objfile",
    "clear_objfiles",
    "memory_changed",
    "before_prompt",
)


class Session:
    """One inferior's registry, and what was derived from it since the process last ran."""

    def __init__(self, inferior: gdb.Inferior, address: int) -> None:
        """Raises MpippError when there is no registry at `address` or it cannot be read."""
        self.inferior = inferior
        self.memory = InferiorMemory(inferior)
        self.address = address
        self.registry = Registry(self.memory, address)
        self.shown: dict[Key, Shown] = {}
        self.derived: dict[str, Any] = {}  # by the name of the module that keeps something here
        self.fresh = True

    def refresh(self) -> None:
        """Forget what may have changed."""
        self.registry.invalidate()
        self.shown.clear()
        self.derived.clear()
        self.fresh = True

    # Below, `describe.Surroundings`.

    @property
    def constants(self) -> Mapping[str, int]:
        """The standard's constants that are no handles."""
        return self.registry.constants

    def constant_name(self, value: int, *names: str) -> str | None:
        """The first of `names` that has this value."""
        return self.registry.constant_name(value, *names)

    def find(self, kind: str, handle: int) -> Object | Broken | None:
        """The object that has a handle."""
        return self.registry.find(kind, handle)

    def function(self, address: int) -> str:
        """The function at an address, as `<name>`."""
        return sites.function(address)


_sessions: dict[int, Session] = {}  # by the inferior's number
_failures: dict[int, MpippError] = {}  # likewise, until something changes
_found: dict[tuple[tuple[int, int], ...], int | None] = {}  # registries in cores, by sections


def register() -> None:
    """Listen to what makes recorded knowledge stale."""
    for name in _EVENTS:
        registry = getattr(gdb.events, name, None)
        if registry is not None:
            registry.connect(_changed)


def unregister() -> None:
    """Stop listening."""
    for name in _EVENTS:
        registry = getattr(gdb.events, name, None)
        if registry is not None:
            registry.disconnect(_changed)


def current() -> Session | None:
    """The selected inferior's session; None when it has no registry that can be read."""
    try:
        return required()
    except MpippError:
        return None


def required() -> Session:
    """The selected inferior's session. Raises MpippError, which says what to do."""
    inferior = gdb.selected_inferior()
    session = _sessions.get(inferior.num)
    if session is not None and session.fresh:
        return session
    if inferior.num in _failures:
        raise _failures[inferior.num]
    try:
        return _renewed(inferior, session)
    except MpippError as error:
        _sessions.pop(inferior.num, None)
        _failures[inferior.num] = error
        raise


def reread() -> Session:
    """As `required`, where conditions of breakpoints are evaluated.

    Between two of these the process runs although gdb tells of no event.
    """
    _changed()
    return required()


def _renewed(inferior: gdb.Inferior, session: Session | None) -> Session:
    address = _address(inferior, session)
    if session is not None and session.address == address:
        session.refresh()
    else:
        session = _sessions[inferior.num] = Session(inferior, address)
    if session.registry.info.status == "inert":
        raise NoWrapper(
            "the mpipp wrapper in this process was built for another MPI library: "
            "start the program with mpipp run or mpipp gdb, which choose the right one"
        )
    return session


def _address(inferior: gdb.Inferior, session: Session | None) -> int:
    if inferior.pid == 0:
        raise NoWrapper("there is no process and no core file: run the program or open a core")
    symbol = _symbol()
    if symbol is not None:
        return symbol
    # The wrapper's file may be gone, and its symbols with it; the memory is in the core.
    sections = tuple(core_sections())
    if sections not in _found:
        _found[sections] = _search(inferior) if sections and _may_be_mpi() else None
    found = _found[sections]
    if found is None:
        raise NoWrapper(
            "there is no mpipp wrapper in this process: "
            "start the program with mpipp run or mpipp gdb"
        )
    return found


def _symbol() -> int | None:
    try:
        return int(gdb.parse_and_eval(f"&{_SYMBOL}"))
    except gdb.error:
        pass
    try:  # in a Fortran frame that does not parse
        text = gdb.execute(f"info address {_SYMBOL}", to_string=True)
    except gdb.error:
        return None
    found = re.search(r" at (?:address )?(0x[0-9a-f]+)", text)
    return int(found.group(1), 16) if found else None


def _search(inferior: gdb.Inferior) -> int | None:
    memory = InferiorMemory(inferior)
    try:
        return find_in(memory, memory.search)
    except MpippError:
        return None


def _may_be_mpi() -> bool:
    # Searching takes seconds, in a core of any program. Of a core without its program gdb knows no
    # libraries; asked for them while it unwinds, it would look for them and end itself.
    if gdb.current_progspace().filename is None:
        return True
    libraries: str = gdb.execute("info sharedlibrary", to_string=True)
    return "mpi" in libraries or libraries.startswith("No shared")


def _changed(_event: object = None) -> None:  # before_prompt passes nothing
    _failures.clear()
    for session in _sessions.values():
        session.fresh = False
