# SPDX-License-Identifier: MIT
"""MPI objects and calls in one line each, for lists and findings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mpipp.common.errors import MpippError
from mpipp.model import Broken, Buffer, Call, DatatypeRecord, Object, Request
from mpipp.render import object_structs
from mpipp.render.datatype_structs import Own, quoted
from mpipp.render.nested_text import Walker
from mpipp.render.object_structs import Surroundings
from mpipp.render.phrases import Phrase, Varies
from mpipp.render.print_settings import Limits
from mpipp.render.structure import Shown, Struct
from mpipp.typetree import Datatype

_MOST_TEXT = 120  # characters of an object's description
_MOST_ITEMS = 16
_OF_EPOCHS = ("epochs", "locks", "access_group", "exposure_group")
_SHORT = Limits(elements=_MOST_ITEMS)
# The types of members and arguments that are ranks, or whose values differ between ranks.
_TYPES = {
    "dest": "rank",
    "source": "rank",
    "target_rank": "rank",
    "rank": "rank",
    "target_disp": "offset",
    "tag": "tag",
    "recvtag": "tag",
}
_OF_A_RANK = ("coords", "world_ranks", "remote_world_ranks", "epochs", "locks")


def described(found: Object, around: Surroundings) -> Phrase:
    """A description that distinguishes an object from others of its kind."""
    if isinstance(found, DatatypeRecord):
        return Phrase.of("{text}", text=_datatype(found))
    if isinstance(found, Request):
        of = found.call.procedure, found.state
        phrase = Phrase.of(
            "{procedure} {kind}, {arguments}",
            procedure=of[0],
            kind=of[1],
            arguments=arguments(found.call, around),
        )
    else:
        shown = _sorted_members(object_structs.described(found, around))
        if isinstance(shown, Struct):
            phrase = Phrase.of("{members}", members=of_members(shown.members))
        else:
            phrase = Phrase.of("{text}", text=inline(shown))
    return replace(phrase, most=_MOST_TEXT)


def _sorted_members(shown: Shown) -> Shown:
    # Members about open epochs of a window come first, because the end of the text may be cut off.
    if not isinstance(shown, Struct):
        return shown
    return Struct(sorted(shown.members, key=lambda member: member[0] not in _OF_EPOCHS))


def arguments(call: Call, around: Surroundings) -> tuple[Phrase, ...]:
    """A call's arguments as facts with the arguments' names. Each buffer is a few words."""
    roles = {buffer.role: buffer for buffer in call.buffers}
    at_root = {buffer.role for buffer in call.facts.buffers if buffer.at == ("root",)}
    found = []
    for name, value in object_structs.call_members(call, around):
        buffer = roles.get(name)
        phrase = _member(name, value, 1) if buffer is None else _buffer(call, buffer, around)
        # Only the root passes this buffer, so its absence in other ranks is no difference.
        found.append(replace(phrase, varies=Varies.RANKS) if name in at_root else phrase)
    return tuple(found)


def listed(phrases: Sequence[Phrase]) -> str:
    """Arguments as text, separated by commas."""
    return ", ".join(one.text for one in phrases)


def _buffer(call: Call, buffer: Buffer, around: Surroundings) -> Phrase:
    in_place = around.constant_name(buffer.address, "MPI_IN_PLACE")
    if call.state == "over" and not in_place:
        return Phrase.of("{argument} = {text}", argument=buffer.role, text=_amount(buffer))
    address = _typed(buffer.role, object_structs.address_of(buffer, around), 0)
    # With MPI_IN_PLACE, MPI_Alltoallw needs no datatypes.
    if in_place and buffer.datatype is None and not buffer.total_count:
        return Phrase.of("{argument} = {value}", argument=buffer.role, value=address)
    amount = _amount(buffer)
    return Phrase.of(
        "{argument} = {value} ({text})", argument=buffer.role, value=address, text=amount
    )


def of_members(members: Sequence[tuple[str, Any]], level: int = 0) -> tuple[Phrase, ...]:
    """The members of a struct inside `level` pairs of braces."""
    return tuple(_member(name, value, level + 1) for name, value in members)


def _member(name: str, value: Any, level: int) -> Phrase:
    phrase = Phrase.of("{argument} = {value}", argument=name, value=_typed(name, value, level))
    return replace(phrase, varies=Varies.RANKS) if name in _OF_A_RANK else phrase


def _typed(name: str, value: Any, level: int) -> Phrase:
    # A value with the type that its name determines.
    if isinstance(value, Struct):
        return Phrase.of("{{{members}}}", members=of_members(value.members, level))
    if isinstance(value, Own):
        return Phrase.of("{own}", own=str(value))
    kind = _TYPES.get(name, "number" if isinstance(value, int) else "text")
    shown = value if isinstance(value, int) else inline(value, level)
    return Phrase.of(f"{{{kind}}}", **{kind: shown})


def data(call: Call, around: Surroundings) -> list[str]:
    """The arguments of a completed call, without those that identify its channel."""
    words = [] if call.root is None else [f"root {call.root}"]
    if call.op is not None:
        words.append(inline(object_structs.reference("op", call.op, around), 1).strip('"'))
    several = len(call.buffers) > 1
    for buffer in call.buffers:
        in_place = around.constant_name(buffer.address, "MPI_IN_PLACE")
        amount = in_place or _amount(buffer)
        words.append(f"{buffer.role} {amount}" if several else amount)
    return words


def _amount(buffer: Buffer) -> str:
    # "4 MPI_INT"; for each peer in v calls "{4, 0} MPI_INT", in w calls "{4 MPI_INT, 0 MPI_CHAR}".
    if buffer.shares is None:
        return f"{buffer.total_count} {_kind(buffer.datatype)}"
    try:
        shares = [buffer.share(i) for i in range(min(buffer.share_count, _MOST_ITEMS))]
    except MpippError as error:  # the caller's arrays are unreadable
        return f"<{error}>"
    of_each = buffer.datatype is None and buffer.handle == 0
    items = [
        f"{share.count} {_kind(share.datatype)}" if of_each else str(share.count)
        for share in shares
    ]
    text = _listed(items, buffer.share_count)
    return text if of_each else f"{text} {_kind(buffer.datatype)}"


def _kind(known: DatatypeRecord | Broken | None) -> str:
    return "datatype unknown" if known is None else object_structs.summary(known)


def _listed(items: Sequence[str], count: int) -> str:
    # The first items of `count`, in braces.
    return "{" + ", ".join(items) + (", ..." if len(items) < count else "") + "}"


def inline(shown: Shown, level: int = 0) -> str:
    """A value as `a = 1, b = {...}`. From level 1 on it is in braces."""
    if isinstance(shown, str) and not level:
        return shown
    text = _Inline().text(shown, level)
    return text[1:-1] if isinstance(shown, Struct) and not level else text


class _Inline(Walker):
    # A printer that shows only a few items of each array.
    more = ", ..."

    def __init__(self) -> None:
        super().__init__()
        self.deepest = sys.maxsize

    def leaf(self, shown: Any, level: int) -> str | None:
        if isinstance(shown, (Datatype, Sequence)) and not isinstance(shown, str):
            return Walker(_SHORT).text(shown, 1)  # the arguments of a datatype
        return super().leaf(shown, level)

    def goes_on(self, done: int, named: bool) -> bool:
        return named or done < _MOST_ITEMS


def _datatype(found: DatatypeRecord) -> str:
    name = f" {quoted(found.header.name)}" if found.header.name else ""
    if found.header.predefined:
        name = ""
    state = "" if found.header.predefined else ", not committed"
    state = ", freed" if found.header.freed else "" if found.committed else state
    return (
        f"{object_structs.summary(found)}{name}, size {found.tree.extents.size}, "
        f"extent {found.tree.extent}{state}"
    )
