# SPDX-License-Identifier: MIT
"""The callers of an MPI call in a thread that runs, from the memory of its stack.

gdb has no frames of a running thread. But the record of the call has the frame of the wrapper's
function. The stack above that frame does not change until the call returns.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console
from mpipp.gdb.program import call_sites, calling_frame, symbol_names
from mpipp.gdb.program.sessions import Session
from mpipp.model import Call, Thread
from mpipp.symbolizer import stack_unwinder
from mpipp.symbolizer.frame_table import FrameTable, Rule, Section
from mpipp.symbolizer.source_frames import Frame

Read = Callable[[int, int], bytes]  # arguments: address, bytes; raises MpippError

_NAMES = (".eh_frame_hdr", ".eh_frame")
_SECTION = re.compile(r"(0x[0-9a-f]+) - (0x[0-9a-f]+) is (\.eh_frame(?:_hdr)?)(?: in (.*))?")
_MOST = 64  # frames


def frames(thread: Thread, session: Session) -> list[Frame]:
    """The known source lines of the MPI call of a running thread, innermost first.

    Returns only the call's own line if the callers are unknown.
    """
    call = thread.call or thread.unrecorded
    if call is None:
        return []
    if python := list(calling_frame.python_frames(thread.tid, session)):
        return python[:_MOST]
    own = call_sites.frames(call.site)
    try:
        found = list(_frames(call, session))
    except (MpippError, gdb.error, ValueError, IndexError, struct.error):
        return own
    return found if _is_still_in(call, thread, session) and found else own


def place(thread: Thread, session: Session) -> str:
    """The source line where a running thread called MPI; another text if it has none."""
    found = frames(thread, session)
    call = thread.call or thread.unrecorded
    if found or call is None:
        return found[0].text if found else ""
    return call_sites.place(call.site)


def _frames(call: Call, session: Session) -> Iterator[Frame]:
    code, read = _Code(session.memory.read), session.memory.read
    start = stack_unwinder.in_call(read, call.frame)
    for address in stack_unwinder.return_addresses(code, read, start):
        found = call_sites.frame(address)
        if found is not None:
            yield found


def _is_still_in(call: Call, thread: Thread, session: Session) -> bool:
    # If the call has returned meanwhile, the stack has changed.
    session.registry.invalidate()
    threads = (one for one in session.registry.threads() if isinstance(one, Thread))
    now = next((one for one in threads if one.tid == thread.tid), None)
    found = (now.call or now.unrecorded) if now is not None else None
    return found is not None and (found.serial, found.frame) == (call.serial, call.frame)


class _Code:
    # The call frame information of the selected inferior, with the addresses of the process.
    def __init__(self, read: Read) -> None:
        self._read = read
        self._tables: dict[str, FrameTable] = {}
        is_known = "x86-64" in gdb.selected_inferior().architecture().name()
        self._sections = _sections() if is_known else {}

    def caller(self, address: int) -> Rule | None:
        file = symbol_names.library(address)
        if file not in self._tables:
            own = self._sections.get(file, {})
            self._tables[file] = FrameTable(*(self._section(own.get(name)) for name in _NAMES))
        return self._tables[file].rule(address)

    def is_main(self, address: int) -> bool:
        return any(call_sites.is_in_symbol(address, name) for name in ("main", "MAIN__"))

    def _section(self, place: tuple[int, int] | None) -> Section:
        if place is None:
            return Section(b"", 0)
        start, end = place
        return Section(self._read(start, end - start), start)


def _sections() -> dict[str, dict[str, tuple[int, int]]]:
    # The addresses of sections, by file and name. The program has the file "".
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for line in console.output("info files").splitlines():
        if section := _SECTION.search(line):
            start, end, name, file = section.groups()
            found.setdefault(file or "", {})[name] = (int(start, 16), int(end, 16))
    return found
