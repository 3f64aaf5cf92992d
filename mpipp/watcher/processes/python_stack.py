# SPDX-License-Identifier: MIT
"""The current Python lines of a thread."""

from __future__ import annotations

import itertools
import sys

from mpipp.common.errors import MpippError
from mpipp.model import PythonLine, Thread
from mpipp.registry.memory import cpython_frames
from mpipp.symbolizer.process_symbols import PYTHON
from mpipp.watcher.processes.process import WatchedProcess

_MOST = 32


def lines(one: WatchedProcess, thread: Thread) -> tuple[PythonLine, ...]:
    """The Python lines, innermost first; none outside Python."""
    runtime, version = (one.places.python_symbol(name) for name in (PYTHON, "Py_Version"))
    if runtime is None or version is None:
        return ()
    try:
        number = int.from_bytes(one.read(version, 4), sys.byteorder)
    except MpippError:
        return ()
    found = cpython_frames.stack(one, runtime, number, thread.tid, thread.pthread_self)
    return tuple(PythonLine(*place) for place in itertools.islice(found, _MOST))
