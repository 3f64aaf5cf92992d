# SPDX-License-Identifier: MIT
"""What does a process do that is not in MPI?"""

from __future__ import annotations

import gdb

from mpipp.gdb.program import sites, stacks
from mpipp.gdb.sessions import Session
from mpipp.model import Thread

_MOST = 64  # frames


def doing(session: Session) -> str:
    """ "computing at solver.c:80 in relax", or "in nanosleep, called at solver.c:80 in relax".

    Of the selected inferior; of several threads, the first of those that have called MPI.
    """
    threads = sorted(session.inferior.threads(), key=lambda thread: thread.num)
    recorded = {one.tid for one in session.registry.threads() if isinstance(one, Thread)}
    called = [thread for thread in threads if thread.ptid[1] in recorded]
    for thread in called or threads:
        with stacks.selected(thread):
            return _doing()
    return "where is not known"


def _doing() -> str:
    newest = gdb.newest_frame()
    place = sites.call(newest.pc() + 1)
    if sites.has_line(place):
        return f"computing at {place}"
    name, frame = newest.name(), newest
    for _ in range(_MOST):
        frame = frame.older() if frame is not None else None
        if frame is None:
            break
        called = sites.call(frame.pc())
        if sites.has_line(called):
            return f"in {name or place}, called at {called}"
    return f"in {name or place}"
