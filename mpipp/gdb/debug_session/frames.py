# SPDX-License-Identifier: MIT
"""The newest frame of the program in a stopped thread, without frames of libraries."""

from __future__ import annotations

import os

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import abandoned_frames, calling_frame, sessions, symbol_names

_MOST = 64  # library frames inside the program's own
_SYSTEM = ("/lib", "/usr/lib")
_LIBRARIES = ("libmpi", "libfmpi")  # the MPI library, and the wrapper


def own_frame() -> gdb.Frame | None:
    """The frame of the selected thread that called MPI, else the newest frame of the program."""
    try:
        session = sessions.current()
        call = buffer_lookup.active_call(session) if session is not None else None
        if call is not None:
            return calling_frame.user(call.site)
    except (MpippError, gdb.error):
        pass
    newest = frame = abandoned_frames.newest_frame()
    for _ in range(_MOST):
        if frame is None:
            break
        library = symbol_names.library(frame.pc())
        name = os.path.basename(library)
        if not library.startswith(_SYSTEM) and not name.startswith(_LIBRARIES):
            return frame
        frame = frame.older()
    return newest
