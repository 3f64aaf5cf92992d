# SPDX-License-Identifier: MIT
"""Test whether an address that gdb prints is a communication buffer, and find its call.

gdb asks this for every pointer and array that it prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import gdb

from mpipp.gdb import console, settings
from mpipp.gdb.printers.token_targets import GONE
from mpipp.gdb.program import (
    abandoned_frames,
    arrays,
    call_entry,
    call_sites,
    calling_frame,
    cxx_containers,
    fortran_constants,
    nearby_calls,
    sessions,
)
from mpipp.gdb.program.sessions import Session
from mpipp.gdb.program.tokens import Key
from mpipp.gdb.selected_thread import selected_thread
from mpipp.model import Call, Request, Thread
from mpipp.render import buffers
from mpipp.render.datatype_structs import Constant
from mpipp.render.structure import Shown, Struct

# Values of `Buffer.request` for a buffer that belongs to no request, but to the selected thread's
# active call, or to a completed call.
_CALL, _COMPLETED = 0, 1


class PrintedBuffer(NamedTuple):
    """A printed buffer: its key, and a short text for it."""

    key: Key
    summary: str


class Buffer(NamedTuple):
    """The root of a token's key for a buffer of a call. `number` selects the buffer, `also` names
    its other uses."""

    inferior: int
    thread: int  # the gdb thread of the call; 0 for a request
    request: int  # the request's record, _CALL or _COMPLETED
    serial: int  # serial number of the call or the request
    number: int
    also: tuple[str, ...]

    def find(self, session: Session) -> Shown:
        """The object to show; GONE if the call has returned or the request is complete."""
        nearby = _nearby(session) if self.request == _COMPLETED else None
        if nearby is not None:
            call = nearby.call if nearby.call.serial == self.serial else None
        else:
            call = _call_of(session, self.thread, self.request, self.serial)
        if call is None or self.number >= len(call.buffers):
            return GONE
        request = None if self.request in (_CALL, _COMPLETED) else self.serial
        members = buffers.of_call(call, self.number, request, session.memory, session)
        if nearby is not None:
            members.insert(2, ("state", _state(nearby)))
        if self.also:
            members.append(("also", ", ".join(self.also)))
        return Struct(members)


class FortranConstant(NamedTuple):
    """A Fortran variable such as MPI_IN_PLACE. MPI takes it for a constant, so its name
    is shown."""

    inferior: int
    name: str

    def find(self, session: Session) -> Shown:
        """The name of the constant."""
        return Constant(self.name)


def printed(value: gdb.Value) -> PrintedBuffer | None:
    """The buffer that begins at the address in `value`; None if there is none."""
    if not settings.buffers_shown():
        return None
    address = _address(value)
    if address is None:
        return None
    session = sessions.current()
    if session is None:
        return None
    return _find(session, address) or _find_fortran(session, address)


def _find_fortran(session: Session, address: int) -> PrintedBuffer | None:
    # Call records have the values that these constants have in C. Outside a call, the variable is
    # still no data.
    name = fortran_constants.constant(address)
    if name is None:
        return None
    value = session.constants.get(name)
    found = _find(session, value % (1 << 64)) if value is not None else None
    return found or PrintedBuffer(Key(FortranConstant(session.inferior.num, name)), name)


def _address(value: gdb.Value) -> int | None:
    # The address of a pointer's target or of an array; None for other values.
    if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_STRING:  # CHARACTER of Fortran
        return None if value.address is None else int(value.address)
    if kind.code == gdb.TYPE_CODE_PTR:
        target = kind.target().strip_typedefs().code
        if target in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD):
            return None
        address = int(value)
        # Skip small values of typed pointers, because null pointers are frequent. Only a void * may
        # be MPI_BOTTOM or MPI_IN_PLACE.
        if target != gdb.TYPE_CODE_VOID and not 1 << 12 <= address < (1 << 64) - (1 << 12):
            return None
        return address
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return arrays.address(value)
    return cxx_containers.elements(value) or None


def _find(session: Session, address: int) -> PrintedBuffer | None:
    thread = selected_thread()
    number = thread.num if thread is not None else 0
    call = active_call(session)
    found: list[tuple[int, int, int, str, str]] = []
    if call is not None:
        for _, buffer in buffers.by_address([(call, _CALL)]).get(address, ()):
            role = call.buffers[buffer].role
            found.append((_CALL, call.serial, buffer, call.procedure, f"{role} of this call"))
    for record, buffer in _pending(session).get(address, ()):
        request = session.registry.at("request", record)
        assert isinstance(request, Request)
        name, serial = request.call.procedure, request.header.serial
        found.append((record, serial, buffer, name, f"{name} request #{serial}"))
    if not found:
        found = list(_completed(session, address))
    if not found:
        return None
    record, serial, buffer, name, _ = found[0]
    also = tuple(text for *_, text in found[1:])
    thread_number = number if record in (_CALL, _COMPLETED) else 0
    root = Buffer(session.inferior.num, thread_number, record, serial, buffer, also)
    return PrintedBuffer(Key(root), f"{address:#x} ({name})")


def _completed(session: Session, address: int) -> Iterator[tuple[int, int, int, str, str]]:
    # The buffers of the completed call that the frame is at. The program may have changed its
    # arrays of counts since then.
    nearby = _nearby(session)
    if nearby is None:
        return
    call = nearby.call
    for _, buffer in buffers.by_address([(call, _COMPLETED)]).get(address, ()):
        if not nearby.again or call.buffers[buffer].shares is None:
            role = call.buffers[buffer].role
            yield _COMPLETED, call.serial, buffer, call.procedure, f"{role} of this call"


def _nearby(session: Session) -> nearby_calls.Nearby | None:
    thread, frame = selected_thread(), abandoned_frames.selected_frame()
    if thread is None or frame is None or active_call(session) is not None:
        return None
    name = f"nearby {thread.num} {calling_frame.level(frame)}"
    if name not in session.derived:
        recorded = recorded_thread(session, thread)
        calls = session.registry.completed_calls(recorded.tid) if recorded is not None else ()
        session.derived[name] = nearby_calls.find(list(calls))
    found: nearby_calls.Nearby | None = session.derived[name]
    return found


def _state(nearby: nearby_calls.Nearby) -> str:
    place = call_sites.call(nearby.call.site.address)
    if nearby.again:
        return f"previous execution: {place} has not made this call again yet"
    return f"completed, called at {place}"


def _pending(session: Session) -> dict[int, list[tuple[int, int]]]:
    if "pending" not in session.derived:
        requests = [r for r in session.registry.pending_requests() if isinstance(r, Request)]
        calls = [(request.call, request.header.record) for request in requests]
        session.derived["pending"] = buffers.by_address(calls)
    index: dict[int, list[tuple[int, int]]] = session.derived["pending"]
    return index


def active_call(session: Session) -> Call | None:
    """The MPI call that the selected thread is in; None outside MPI."""
    thread = selected_thread()
    if thread is None:
        return None
    name = f"active {thread.num}"
    if name not in session.derived:
        recorded = recorded_thread(session, thread)
        call = recorded.call if recorded is not None else None
        session.derived[name] = call or call_entry.call(session)
    found: Call | None = session.derived[name]
    return found


def recorded_thread(session: Session, thread: gdb.InferiorThread) -> Thread | None:
    """The registry's record of a gdb thread."""
    threads = [t for t in session.registry.threads() if isinstance(t, Thread)]
    for recorded in threads:
        if recorded.tid == thread.ptid[1]:
            return recorded
    # In a container, the process knows itself by another process id than gdb.
    try:
        here = int(console.value("$fs_base"))
    except (gdb.error, TypeError):
        here = 0
    for recorded in threads:
        if here and recorded.pthread_self == here:
            return recorded
    only_one = len(threads) == 1 and len(session.inferior.threads()) == 1
    return threads[0] if only_one else None


def _call_of(session: Session, thread: int, record: int, serial: int) -> Call | None:
    if record != _CALL:
        request = session.registry.at("request", record)
        same = isinstance(request, Request) and request.header.serial == serial
        return request.call if same and isinstance(request, Request) and request.pending else None
    selected = selected_thread()
    if selected is None or selected.num != thread:
        return None
    call = active_call(session)
    return call if call is not None and call.serial == serial else None
