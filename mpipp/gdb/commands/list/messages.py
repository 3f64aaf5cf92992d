# SPDX-License-Identifier: MIT
"""The output of `mpipp list messages`: the completed messages of each channel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mpipp.common.errors import MpippError
from mpipp.gdb.commands.list.filters import Places, started
from mpipp.gdb.program.sessions import Session
from mpipp.model import Broken, Channel, Comm, Stretch
from mpipp.render import call_history, one_line


def entries(session: Session, everything: bool) -> Iterator[list[str]]:
    """The lines of each channel, then the number of calls in the history."""
    places, total, channels = Places(), 0, 0
    for comm, channel in _channels(session):
        title = call_history.title(comm, channel, session)
        try:
            stretches = session.registry.recorded_calls(comm, channel)
        except MpippError as error:
            yield [title, f"  <{error}>"]
            continue
        total += sum(stretch.count for stretch in stretches)
        channels += 1
        shown = call_history.lines(stretches, session, lambda site: places[site].place, everything)
        yield [title, *shown]
    text = f"{total} call{'' if total == 1 else 's'}"
    text += f" in {channels} channel{'' if channels == 1 else 's'}"
    forgotten = session.registry.info.forgotten
    yield [
        text
        + (f", {forgotten} not kept: the call history is full (MPIPP_LEDGER)" if forgotten else "")
    ]


def content(session: Session, everything: bool) -> dict[str, object]:
    """The channels for JSON. Repeated calls are listed one by one."""
    places, channels = Places(), []
    for comm, channel in _channels(session):
        stretches = call_history.last(session.registry.recorded_calls(comm, channel), everything)
        times = session.registry.times(channel)
        described: dict[str, object] = {"comm": one_line.described(comm, session).text}
        for name in ("sequence", "peer", "tag", "count"):
            described[name] = getattr(channel, name)
        described["stretches"] = [_stretch(one, times, session, places) for one in stretches]
        channels.append(described)
    return {"kind": "channel", "channels": channels}


def _stretch(
    stretch: Stretch, times: Mapping[int, int], session: Session, places: Places
) -> dict[str, object]:
    time = times.get(stretch.first)
    seconds = None if time is None else (time - session.registry.info.started_at) / 1e9
    calls = [
        {
            "procedure": call.procedure,
            "data": one_line.data(call, session),
            "called": places[call.site].place,
            "started": call.start and started(call.start, places),
        }
        for call in (kept.call for kept in stretch.calls)
    ]
    return {
        "first": stretch.first,
        "count": stretch.count,
        "seconds": seconds,
        "calls": calls,
    }


def _channels(session: Session) -> Iterator[tuple[Comm, Channel]]:
    for comm in session.registry.objects("comm", ended=True):
        if isinstance(comm, Broken) or not isinstance(comm, Comm):
            continue
        known = [c for c in comm.channels if c.history and c.sequence not in ("turns", "steps")]
        for channel in sorted(known, key=lambda one: (one.sequence, one.peer, one.tag)):
            yield comm, channel
