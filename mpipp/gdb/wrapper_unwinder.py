# SPDX-License-Identifier: MIT
"""An unwinder for the wrapper's frames in a core file, if the wrapper's own file is gone.

Without that file gdb cannot unwind these frames, and shows wrong frames above them. The call record
has the frame of the intercepting function, and its caller. A function that takes its frame address
keeps the frame pointer (x86-64).
"""

from __future__ import annotations

from typing import Any

import gdb
import gdb.unwinder

from mpipp.common.errors import MpippError
from mpipp.gdb import console
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import abandoned_frames, sessions, symbol_names
from mpipp.gdb.program.inferior_memory import is_core
from mpipp.gdb.selected_thread import selected_thread
from mpipp.model import Call


def register() -> None:
    """Register the unwinder, which gdb asks about frames whose code it does not know."""
    # After this, gdb has forgotten all frames, and which frame was selected.
    frame = abandoned_frames.selected_frame()
    gdb.unwinder.register_unwinder(None, _Unwinder(), replace=True)
    if frame is not None and frame.is_valid():
        frame.select()


class _FrameId:
    def __init__(self, sp: Any, pc: Any) -> None:
        self.sp = sp
        self.pc = pc


class _Unwinder(gdb.unwinder.Unwinder):
    def __init__(self) -> None:
        super().__init__("mpipp")
        self._busy = False

    def __call__(self, frame: Any) -> Any:
        # The search for the call may make gdb unwind: do not recurse.
        if self._busy or not is_core() or "x86-64" not in frame.architecture().name():
            return None
        self._busy = True
        try:
            with abandoned_frames.no_thread():
                return _unwound(frame)
        except (gdb.error, MpippError):
            return None
        finally:
            self._busy = False


def _unwound(frame: Any) -> Any:
    pc, sp = frame.read_register("rip"), frame.read_register("rsp")
    if symbol_names.library(int(pc)) or not _is_unknown(int(pc)):
        return None
    call = _call()
    if call is None or not call.frame or int(sp) > call.frame:
        return None
    session = sessions.required()
    saved = int.from_bytes(session.memory.read(call.frame, 8), "little")
    result = frame.create_unwind_info(_FrameId(sp, pc))
    result.add_saved_register("rip", _register(call.site.address, pc))
    result.add_saved_register("rsp", _register(call.frame + 16, sp))
    result.add_saved_register("rbp", _register(saved, sp))
    return result


def _call() -> Call | None:
    session = sessions.current()
    thread = selected_thread()
    if session is None or thread is None:
        return None
    recorded = buffer_lookup.recorded_thread(session, thread)
    return recorded.call if recorded is not None else None


def _is_unknown(pc: int) -> bool:
    # Ask no command of gdb: before a command, gdb searches the selected frame, and this search may
    # be running now.
    return "<" not in console.decoded(lambda: gdb.Value(pc).format_string(format="a"))


def _register(number: int, like: gdb.Value) -> gdb.Value:
    return gdb.Value(number).cast(like.type)
