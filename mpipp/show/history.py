# SPDX-License-Identifier: MIT
"""What was sent, received or joined in a channel, as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mpipp.model import Call, Channel, Comm, Site, Stretch
from mpipp.show import oneline
from mpipp.show.describe import Surroundings

_LAST = 8  # stretches, unless all are asked for
_MOST_CALLS = 16  # that take turns


def title(comm: Comm, channel: Channel, around: Surroundings) -> str:
    """The channel, and how many calls were counted there: "MPI_COMM_WORLD, to rank 1, tag 7: 3
    sends"."""
    name = comm.header.name or oneline.described(comm, around)
    noun = "collective call" if channel.sequence == "collectives" else channel.sequence[:-1]
    count = f"{channel.count} {noun}{'' if channel.count == 1 else 's'}"
    if channel.sequence == "collectives":
        return f"{name}: {count}"
    way = "to" if "sends" in channel.sequence else "from"
    return f"{name}, {way} rank {channel.peer}, tag {channel.tag}: {count}"


def last(stretches: Sequence[Stretch], everything: bool) -> Sequence[Stretch]:
    """The last few, or all."""
    return stretches if everything else stretches[-_LAST:]


def lines(
    stretches: Sequence[Stretch],
    around: Surroundings,
    place: Callable[[Site], str],
    everything: bool,
) -> Iterator[str]:
    """The calls by ordinal, the last few or `everything`; those that are repeated said once."""
    shown = last(stretches, everything)
    left = len(shown) < len(stretches)
    if left:
        yield f"  ... {shown[0].first - 1} before these (--all)"
    for number, stretch in enumerate(shown):
        period = len(stretch.calls)
        ordinals = _ordinals(stretch)
        if stretch.count == 1:
            yield f"  {ordinals}  {_call(stretch.calls[0], around, place)}"
        elif number or not left:
            again = "the same" if period == 1 else f"the {period} before, in turn"
            yield f"  {ordinals}  {again}"
        else:
            yield f"  {ordinals}  in turn"
            for call in stretch.calls[:_MOST_CALLS]:
                yield f"    {_call(call, around, place)}"
            if period > _MOST_CALLS:
                yield f"    and {period - _MOST_CALLS} more"


def _ordinals(stretch: Stretch) -> str:
    last = stretch.end - 1
    return str(stretch.first) if stretch.count == 1 else f"{stretch.first} to {last}"


def _call(call: Call, around: Surroundings, place: Callable[[Site], str]) -> str:
    words = oneline.data(call, around)
    at = place(call.site)
    return ", ".join([call.procedure, *words, *([f"called at {at}"] if at else [])])
