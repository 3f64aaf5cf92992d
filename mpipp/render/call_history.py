# SPDX-License-Identifier: MIT
"""The messages and collective calls of a channel, as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from mpipp.model import Call, Channel, Comm, Site, Stretch
from mpipp.render import one_line
from mpipp.render.object_structs import Surroundings

_LAST = 8  # stretches of repeated calls that are shown by default
_MOST_CALLS = 16  # calls of a sequence that is repeated


def title(comm: Comm, channel: Channel, around: Surroundings) -> str:
    """The title of a channel with its number of calls: "MPI_COMM_WORLD, to rank 1, tag
    7: 3 sends"."""
    name = comm.header.name or f"{{{one_line.described(comm, around)}}}"
    noun = "collective call" if channel.sequence == "collectives" else channel.sequence[:-1]
    count = f"{channel.count} {noun}{'' if channel.count == 1 else 's'}"
    if channel.sequence == "collectives":
        return f"{name}: {count}"
    if channel.sequence in ("window calls", "file calls"):
        made = f"{channel.sequence.split()[0]} made by collective call number {channel.tag}"
        return f"{name}, {made}: {count.replace(noun, 'collective call')}"
    way = "to" if "send" in channel.sequence else "from"
    return f"{name}, {way} rank {channel.peer}, tag {channel.tag}: {count}"


def last(stretches: Sequence[Stretch], everything: bool) -> Sequence[Stretch]:
    """The last few stretches, or all. Neighbors that repeat one call are merged."""
    found: list[Stretch] = []
    for stretch in chain.from_iterable(map(_each, stretches)):
        before = found[-1] if found else None
        if before is not None and before.end == stretch.first and _is_equal(before, stretch):
            found[-1] = before._replace(count=before.count + stretch.count)
        else:
            found.append(stretch)
    return found if everything else found[-_LAST:]


def _each(stretch: Stretch) -> Iterable[Stretch]:
    if not stretch.written_out:
        return (stretch,)
    return (Stretch(first, 1, (kept,)) for first, kept in enumerate(stretch.calls, stretch.first))


def _is_equal(one: Stretch, other: Stretch) -> bool:
    return all(kept is one.calls[0] for kept in (*one.calls, *other.calls))


def lines(
    stretches: Sequence[Stretch],
    around: Surroundings,
    place: Callable[[Site], str],
    everything: bool,
) -> Iterator[str]:
    """The last few calls by ordinal, or `everything`. Repeated calls are one line."""
    shown = last(stretches, everything)
    before = shown[0].first - 1 if shown and not everything else 0
    if before:
        yield f"  ... {before} before these (--all)"
    width = max((len(_ordinals(stretch)) for stretch in shown), default=0)
    for number, stretch in enumerate(shown):
        first = _call(stretch.calls[0].call, around, place)
        start = f"  {_ordinals(stretch):<{width}}  "
        if len(stretch.calls) == 1 or stretch.count == 1:
            yield start + first
        elif number or not before:
            yield f"{start}the {len(stretch.calls)} calls before, repeated"
        else:
            yield f"{start}in turn"
            for kept in stretch.calls[:_MOST_CALLS]:
                yield f"    {_call(kept.call, around, place)}"
            if len(stretch.calls) > _MOST_CALLS:
                yield f"    and {len(stretch.calls) - _MOST_CALLS} more"


def _ordinals(stretch: Stretch) -> str:
    return str(stretch.first) if stretch.count == 1 else f"{stretch.first} to {stretch.end - 1}"


def _call(call: Call, around: Surroundings, place: Callable[[Site], str]) -> str:
    at, words = place(call.site), one_line.data(call, around)
    places = [f"called at {at}"] if at else []
    begun = place(call.start.site) if call.start is not None else ""
    if call.start is not None and begun:
        places.append(f"started by {call.start.procedure} at {begun}")
    return ", ".join([call.procedure, *words, *places])
