# SPDX-License-Identifier: MIT
"""How long have ranks been in their calls, as far as the call history has the times?"""

from __future__ import annotations

import time

from mpipp.analysis.context.process import Process
from mpipp.common.errors import MpippError
from mpipp.model import Call, Channel, Comm


def seconds(process: Process) -> float | None:
    """The time in the first active call of a live process on this machine; None: not known."""
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
    # Only sends and receives have the time of their start.
    sequence, peer = ("sends", call.dest) if call.dest is not None else ("receives", call.source)
    return (channel.sequence, channel.peer, channel.tag) == (sequence, peer, call.tag)
