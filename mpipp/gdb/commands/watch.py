# SPDX-License-Identifier: MIT
"""`mpipp watch`: hardware watchpoints of gdb on elements of a buffer."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import gdb

from mpipp.common.errors import MpippError
from mpipp.datatypes import element_address
from mpipp.gdb import output
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import expressions, operands
from mpipp.gdb.printers import buffer_lookup, native_values
from mpipp.gdb.program import call_sites, calling_frame, sessions
from mpipp.gdb.program.inferior_memory import core_file
from mpipp.model import DatatypeRecord
from mpipp.typetree import Datatype

# Debug registers of x86-64 and of small AArch64 processors, each for up to 8 aligned bytes.
_REGISTERS = 4
_WIDEST = 8
_numbers = itertools.count(1)
_KINDS = {"--read": gdb.WP_READ, "--access": gdb.WP_ACCESS}


class _Place(NamedTuple):
    """A basic element of a buffer: its datatype, address, and name."""

    datatype: Datatype
    address: int
    name: str


class Watch(Command):
    """Stop when the program stores to elements of a buffer, by hardware watchpoints.

    mpipp watch TYPE[2][5] ADDR [COUNT]   one element
    mpipp watch TYPE ADDR [COUNT]         all elements, if they are few

    --access          stop at loads and stores
    --read            stop at loads

    The processor can watch 32 bytes: four elements of up to 8 bytes. Watching costs no time. Each
    stop names the element, and the pending operation whose buffer contains it. "info breakpoints"
    and "delete" work as usual.
    """

    name = "mpipp watch"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"watch{argument}")
        options, rest = operands.options(argument, _KINDS)
        if not rest:
            raise MpippError("write mpipp watch TYPE[2][5] ADDR")
        if len(options) > 1:
            raise MpippError("write one of --read and --access")
        places = _places(rest)
        if sum(_registers(place) for place in places) > _REGISTERS:
            raise MpippError(_too_many(places))
        if sum(_registers(place) for place in [*_watched(), *places]) > _REGISTERS:
            raise MpippError("the processor can watch no more: delete a watchpoint first")
        kind = _KINDS[next(iter(options))] if options else gdb.WP_WRITE
        if core_file() is not None:
            raise MpippError("mpipp cannot watch a core file: use it in a running process")
        made = [ElementWatchpoint(place, kind) for place in places]
        return [f"watchpoint {one.number} is on {one.place.name}" for one in made]


def _places(argument: str) -> list[_Place]:
    found = expressions.target(argument, sessions.required())
    datatype = found.found
    if not isinstance(datatype, DatatypeRecord):
        kind = datatype.header.kind
        raise MpippError(f"{found.text} is a handle of kind {kind}: only a datatype has data")
    expressions.expect_elements(datatype, found.text)
    if not found.rest:
        raise MpippError(f"the address of the buffer is missing after {found.text}{found.element}")
    address, count = expressions.address_and_count(found.rest)
    tree, low, high = datatype.tree, 0, datatype.tree.size * count
    if found.element:
        element = element_address.resolve(
            tree, element_address.parse(found.element), None if count == 1 else count
        )
        low, high = element.packed, element.packed + element.size
    if high == low:
        raise MpippError(f"{found.text} has no data")
    return list(_basic(tree, address, found.text, range(low, high)))


def _basic(tree: Datatype, address: int, name: str, packed: range) -> Iterator[_Place]:
    # One element too many is enough for the error message.
    position = packed.start
    for _ in range(_REGISTERS + 1):
        if position >= packed.stop:
            return
        element = element_address.at_packed(tree, position)
        yield _Place(element.datatype, address + element.displacement, f"{name}{element.path}")
        position += element.size


def _registers(place: _Place) -> int:
    # The number of aligned pieces of 1, 2, 4 or 8 bytes that cover the element.
    low, high, count = place.address, place.address + place.datatype.size, 0
    while low < high:
        size = _WIDEST
        while low % size or low + size > high:
            size //= 2
        low += size
        count += 1
    return count


def _too_many(places: list[_Place]) -> str:
    first = places[0]
    if len(places) > 1:
        return (
            f"the processor can watch at most {_REGISTERS} elements: name one, such as {first.name}"
        )
    size = f"{first.datatype.size} bytes at {first.address:#x}"
    return f"{first.name} has {size}: the processor cannot watch so many"


class ElementWatchpoint(gdb.Breakpoint):
    """A watchpoint on one basic element of a buffer."""

    def __init__(self, place: _Place, kind: int) -> None:
        self.place = place
        # A cast would be parsed again in the language of the current frame. A variable keeps its
        # type.
        name = f"mpipp_watched_{next(_numbers)}"
        pointer = native_values.type_of(place.datatype).pointer()
        gdb.set_convenience_variable(name, gdb.Value(place.address).cast(pointer))
        super().__init__(f"*${name}", gdb.BP_WATCHPOINT, kind)


def _watched() -> Iterator[_Place]:
    for one in gdb.breakpoints():
        if isinstance(one, ElementWatchpoint) and one.enabled:
            yield one.place


def _stopped(event: gdb.Event) -> None:
    if not isinstance(event, gdb.BreakpointEvent):
        return
    places = [one.place for one in event.breakpoints if isinstance(one, ElementWatchpoint)]
    for place in dict.fromkeys(places):
        output.write(_about(place))


def _about(place: _Place) -> Iterator[str]:
    yield f"{place.name} at {place.address:#x}"
    try:
        yield from _owners(place)
        call = buffer_lookup.active_call(sessions.reread())
        if call is not None:
            caller = calling_frame.user(call.site)
            yield f"in {call.procedure}, called at {call_sites.call(caller.pc())}"
    except (MpippError, gdb.error) as error:
        yield f"mpipp cannot find the operation with this buffer: {error}"


def _owners(place: _Place) -> Iterator[str]:
    # A line for each pending operation whose buffer contains the element.
    from mpipp.gdb.analysis.inferior_processes import CheckedInferiors  # takes some time to load

    checked = CheckedInferiors()
    for element, operation in checked.holding(place.address):
        assert operation.request is not None
        yield (
            f"{element} of the pending {operation.call.procedure}, request "
            f"#{operation.request.header.serial}, called at {checked.place(operation)}"
        )


def register() -> None:
    """Call this module at each stop of the program."""
    gdb.events.stop.connect(_stopped)


def unregister() -> None:
    """Disconnect. The watchpoints stay, but gdb alone reports their stops."""
    gdb.events.stop.disconnect(_stopped)
