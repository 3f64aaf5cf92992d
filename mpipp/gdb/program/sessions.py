# SPDX-License-Identifier: MIT
"""The registry of each inferior, read on demand and dropped when the process runs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gdb

from mpipp.common.errors import MpippError, NoWrapper
from mpipp.gdb import console, job_ranks
from mpipp.gdb.program import abandoned_frames, call_sites, memory_mappings, symbol_names
from mpipp.gdb.program.inferior_memory import InferiorMemory, core_file, is_core, selected
from mpipp.gdb.program.tokens import Key
from mpipp.gdb.selected_thread import selected_thread
from mpipp.registry.describe_adapter import Recorded
from mpipp.registry.layout.field_table import find_in
from mpipp.registry.memory import core_files
from mpipp.registry.memory.core_files import CoreFile
from mpipp.registry.registry import Registry
from mpipp.render.structure import Shown

_SYMBOL = "mpipp_registry"
_WRAPPER = "/libmpipp_"  # the file names of wrappers begin with this
_START = "start the program with mpipp run or mpipp gdb"
_EVENTS = (
    "stop",
    "cont",
    "exited",
    "new_objfile",
    "clear_objfiles",
    "memory_changed",
    "before_prompt",
)


class Session(Recorded):
    """The registry of one inferior, and everything derived from it since the process last ran."""

    def __init__(self, inferior: gdb.Inferior, address: int) -> None:
        """Raises MpippError if there is no readable registry at `address`."""
        self.inferior = inferior
        self.memory = InferiorMemory(inferior)
        self.address = address
        self.registry = Registry(
            self.memory, address, functools.partial(abandoned_frames.has_left_frame, inferior)
        )
        self.memory.byte_order = self.registry.byte_order
        self.shown: dict[Key, Shown] = {}
        self.derived: dict[str, Any] = {}  # by the name of the module that stores it
        self.fresh = True

    def refresh(self) -> None:
        """Drop everything that may have changed."""
        self.registry.invalidate()
        self.shown.clear()
        self.derived.clear()
        self.fresh = True

    def function(self, address: int) -> str:
        """The function at an address, as `<name>`."""
        with selected(self.inferior):
            return call_sites.function(address)

    def file(self, address: int) -> str:
        """The path of the file that contains an address of code; "" if unknown."""
        with selected(self.inferior):
            found = memory_mappings.file_at(address)
        return found[0] if found else ""


_is_at_prompt = False
_sessions: dict[int, Session] = {}  # by the inferior's number
_failures: dict[int, MpippError] = {}  # by the inferior's number, until something changes
# Addresses of registries in core files, by the path and size of the file.
_found: dict[tuple[str, int], int | None] = {}


def register() -> None:
    """Connect to the events after which stored data is out of date."""
    for name in _EVENTS:
        registry = getattr(gdb.events, name, None)
        if registry is not None:
            registry.connect(_changed)


def unregister() -> None:
    """Stop following gdb's events."""
    for name in _EVENTS:
        registry = getattr(gdb.events, name, None)
        if registry is not None:
            registry.disconnect(_changed)


def current() -> Session | None:
    """The session of the selected inferior; None if it has no readable registry."""
    try:
        return required()
    except MpippError:
        return None


@contextmanager
def at_prompt() -> Iterator[None]:
    """Mark that a user's command runs. A command may read stopped threads."""
    global _is_at_prompt
    before, _is_at_prompt = _is_at_prompt, True
    try:
        yield
    finally:
        _is_at_prompt = before


def required() -> Session:
    """The selected inferior's session. Raises MpippError with advice if there is none."""
    inferior = gdb.selected_inferior()
    session = _sessions.get(inferior.num)
    if session is not None and session.fresh:
        return session
    if _is_at_prompt and _runs(inferior) and not job_ranks.is_halted(inferior.num):
        stop = job_ranks.interrupt()
        raise MpippError(f"all threads of this process run: stop one of them with {stop}")
    if inferior.num in _failures:
        raise _failures[inferior.num]
    try:
        return _renewed(inferior, session)
    except MpippError as error:
        _sessions.pop(inferior.num, None)
        _failures[inferior.num] = error
        raise


@contextmanager
def also_running() -> Iterator[Session | None]:
    """Yield `current`, also while all threads run. The records may change meanwhile."""
    global _is_at_prompt
    inferior = gdb.selected_inferior()
    is_running = _runs(inferior)
    known = _sessions.get(inferior.num)
    if is_running and known is not None:
        known.fresh = False
    before, _is_at_prompt = _is_at_prompt, False
    session = current()
    _is_at_prompt = before
    try:
        yield session
    finally:
        if is_running and session is not None:
            session.fresh = False


def _runs(inferior: gdb.Inferior) -> bool:
    # Return whether all threads run. The state of the selected thread alone does not show whether
    # all threads run. A stopped process has no frames while gdb attaches, nor during an unwind (gdb
    # 13 would crash). In conditions of breakpoints gdb takes stopped threads for running. A core
    # file does not run.
    thread = selected_thread()
    if thread is None or is_core() or abandoned_frames.newest_frame() is not None:
        return False
    return not any(one.is_stopped() for one in inferior.threads() if one.num != thread.num)


def reread() -> Session:
    """Read the process again, then return what `required` returns.

    Conditions of breakpoints need this function: between two of them the process may run without an
    event in gdb.
    """
    _changed()
    return required()


def invalidate() -> None:
    """Mark all stored data as out of date."""
    _changed()


def _renewed(inferior: gdb.Inferior, session: Session | None) -> Session:
    address = _address(inferior, session)
    if session is not None and session.address == address:
        session.refresh()
    else:
        session = _sessions[inferior.num] = Session(inferior, address)
    if session.registry.info.status == "inert":
        raise NoWrapper(
            "the mpipp wrapper in this process was built for another MPI library: start the "
            "program with mpipp run or mpipp gdb"
        )
    return session


def _address(inferior: gdb.Inferior, session: Session | None) -> int:
    if inferior.pid == 0:
        raise NoWrapper(job_ranks.no_process())
    symbol, core = _symbol(), core_file()
    if symbol is not None:
        # For memory that a core file lacks, gdb reads the library's file, which has the initial
        # values.
        if core is not None and not core.has(symbol):
            raise NoWrapper(_lack(core))
        return symbol
    # The wrapper's file, with its symbols, may be gone. Then search the memory in the core file.
    if core is None:
        raise NoWrapper(f"there is no mpipp wrapper in this process: {_START}")
    key = (core.path, core.size)
    if key not in _found:
        # Do not search again at the next print if the user interrupts this search.
        _found[key] = None
        if _may_be_mpi():
            _found[key] = _search(inferior, core)
    found = _found[key]
    if found is None:
        raise NoWrapper(_lack(core))
    return found


def _lack(core: CoreFile) -> str:
    # The reason why a core file has no registry.
    if core.size < core.whole:
        return (
            f"the core file is truncated to {core.size} of {core.whole} bytes, without the "
            "records of mpipp's wrapper: set ulimit -c unlimited and free disk space"
        )
    if core.damaged:
        return (
            f"the core file is damaged (wrong program headers: {core.damaged}), and the records of "
            "mpipp's wrapper are missing: copy it again from the original"
        )
    if _WRAPPER in memory_mappings.listing():
        return (
            "the core file lacks the records of the mpipp wrapper, which are in private memory: "
            "write 0x33 to /proc/PID/coredump_filter before the process dies"
        )
    return f"there is no mpipp wrapper in this process: {_START}"


def _symbol() -> int | None:
    try:
        return int(console.value(f"&{_SYMBOL}"))
    except gdb.error:
        pass
    try:  # in a Fortran frame gdb cannot parse this expression
        text = console.output("info address {}", _SYMBOL)
    except gdb.error:
        return None
    found = re.search(r" at (?:address )?(0x[0-9a-f]+)", text)
    return int(found.group(1), 16) if found else None


def _search(inferior: gdb.Inferior, core: CoreFile) -> int | None:
    try:
        return find_in(InferiorMemory(inferior), lambda magic: core_files.search(core, magic))
    except MpippError:
        return None


def _may_be_mpi() -> bool:
    # The search takes seconds for any core file. Without the program, gdb knows no libraries of a
    # core file: if it were asked during an unwind, it would search for them and crash.
    if not symbol_names.program():
        return True
    libraries = console.output("info sharedlibrary")
    return "mpi" in libraries or libraries.startswith("No shared")


def _changed(_event: object = None) -> None:  # before_prompt passes nothing
    _failures.clear()
    for session in _sessions.values():
        session.fresh = False
