# SPDX-License-Identifier: MIT
"""The time that ranks have spent in their current calls, if the call history records it."""

from __future__ import annotations

import time

from mpipp.analysis.context.process import Process
from mpipp.common.errors import MpippError
from mpipp.model import Call, Channel, Comm


def seconds(process: Process) -> float | None:
    """Seconds since the first active call of a process began.

    Returns None if the call history has no time. The process must be live and on this machine.
    """
    try:
        started = [_started(process, thread.call) for thread in process.threads if thread.call]
    except MpippError:
        return None
    known = [one for one in started if one is not None]
    if not known:
        return None
    passed = (time.monotonic_ns() - min(known)) / 1e9
    return passed if passed >= 0 else None


def _started(process: Process, call: Call) -> int | None:
    comm = process.registry.find("comm", call.comm) if call.comm is not None else None
    if not isinstance(comm, Comm) or call.ordinal is None:
        return None
    channel = next((one for one in comm.channels if _has(one, call)), None)
    return None if channel is None else process.registry.times(channel).get(call.ordinal)


def _has(channel: Channel, call: Call) -> bool:
    # The history records start times only for sends and receives.
    sequence, peer = ("sends", call.dest) if call.dest is not None else ("receives", call.source)
    return (channel.sequence, channel.peer, channel.tag) == (sequence, peer, call.tag)
