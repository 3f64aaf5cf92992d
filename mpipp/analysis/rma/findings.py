# SPDX-License-Identifier: MIT
"""Findings from the results of the RMA analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.records_protocol import OnesidedLog
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Evidence, Finding, Party
from mpipp.analysis.findings.rma_timeline import (
    MISTAKEN,
    Lifelines,
    NumberedPoint,
    Point,
    Points,
    why,
)
from mpipp.analysis.rma import advice as ordering_advice
from mpipp.analysis.rma.advice import AT_TARGET
from mpipp.analysis.rma_engine import ALL_OTHERS, Conflict, Mistake, Side
from mpipp.analysis.rules import rma
from mpipp.datatypes.element_address import Element
from mpipp.datatypes.memory import touching
from mpipp.model import Call, DatatypeRecord, Site, Win
from mpipp.model import rma_events as events
from mpipp.render.phrases import Phrase, Varies

_VERBS = {
    "load": "read",
    "store": "write",
    "origin buffer read": "read",
    "origin or result buffer written": "write",
    "target of a get": "read",
    "target of a put": "write",
    "target of an accumulate": "update",
}
# The calls that end an epoch with its operations.
_CLOSING = tuple(f"MPI_Win_{one}" for one in ("fence", "complete", "unlock", "unlock_all", "free"))
_MOST_BYTES = 1 << 40  # bytes of an operation
_MOST_SPANS = 5  # epochs around a mistake that are drawn
_BEGINS = Phrase("begins the first's epoch"), Phrase("begins the second's epoch")
_BEGINS_ITS, _BEGINS_BOTH = Phrase("begins its epoch"), Phrase("begins the epoch of both")
_OF_STACKS = ("rma-gone", "rma-window-gone")
_OUTLIVED = Phrase("the function with this memory on its stack has returned")
_WHY = {
    "pending": "the first is not complete when the second starts",
    "incomplete": "the second may start before the first completes at its target",
    "unordered": "data race",
    "threads": "data race of two threads",
    "copies": "the window's copies are not synchronized",
    "itself": "its buffer overlaps its target",
}


class RmaFindings:
    """Makes findings about the processes with logs, by their ranks in MPI_COMM_WORLD.

    Attributes:
        queried: identities of the windows whose memory in other processes any process has queried.
    """

    def __init__(self, known: World, logs: Mapping[int, OnesidedLog]) -> None:
        self._known = known
        self._logs = logs
        self._reaches = {
            (identity, rank): reach
            for log in logs.values()
            for identity, rank, reach in log.windows.values()
        }
        self.queried = frozenset[int]().union(*(log.queried for log in logs.values()))
        self._bases = {
            (identity, log.rank): reach[0]
            for log in logs.values()
            for identity, _, reach in log.windows.values()
        }

    def reach(self, window: int, rank: int) -> tuple[int, int] | None:
        """Return a window's memory (address, displacement unit) in the process with a rank."""
        return self._reaches.get((window, rank))

    def guess(self, window: int, rank: int) -> tuple[int, int]:
        """Return the same as `reach`; for an unknown process an assumed range.

        In the assumed range, equal displacements have equal addresses.
        """
        return self.reach(window, rank) or (0, _MOST_BYTES)

    def conflicts(self, found: Iterable[Conflict]) -> Iterator[Finding]:
        """Yield conflicts as findings, only the first at each pair of places, with their number."""
        alike: dict[object, list[Conflict]] = {}
        for one in found:
            moments = (one.first.event.moment, one.second.event.moment)
            places = frozenset((moment.process, moment.place) for moment in moments)
            alike.setdefault((one.rule, places), []).append(one)
        for first, *others in alike.values():
            times = first.times + sum(one.times for one in others)
            yield self._conflict(first._replace(times=times))

    def possible(self, found: Iterable[Conflict], by: str) -> Iterator[Finding]:
        """Yield conflicts that may be ordered as warnings; `by` names the unknown order."""
        for one in self.conflicts(found):
            facts = {**dict(one.what.facts), "why": f"{by} may order them"}
            made = Finding.of(rma.POSSIBLE, one.parties, **facts, advice=one.advice)
            rule = made.rule._replace(section=one.rule.section)
            yield replace(made, rule=rule, sentence=one.sentence, lifelines=one.lifelines)

    def _conflict(self, found: Conflict) -> Finding:
        sides = found.first, found.second
        names = [_name(side.event) for side in sides]
        verbs = list(dict.fromkeys(map(_verb, sides)))
        is_one = found.why == "itself"
        both = names[0] if is_one else " and ".join(names)
        verbs = [f"{verb}s" for verb in verbs] if is_one else verbs
        clause = f"{' and '.join(verbs)} the same memory"
        if len({*self._windows(sides)}) > 1:
            clause = f"{clause} through two windows"
        if found.rule == "rma-apart":
            clause = "use one window of the separate memory model"
        parties = [self._side(side, found) for side in sides]
        if any(side.event.moment.thread for side in sides):
            parties = [_in_thread(*both) for both in zip(parties, sides)]
        if is_one:
            one, other = parties
            parties = [one.with_details(*other.details)]
        parties += self._synchronizations(found)
        why = Phrase(_WHY[found.why])
        made = Finding.of(found.rule, parties, text=both, clause=clause, why=why)
        if found.rule == "rma-local":
            reads = any(side.kind in AT_TARGET and _verb(side) == "read" for side in sides)
            half = rma.WHILE_READ if reads else rma.WHILE_UPDATED
            sentence = half[1]
            if any(_is_direct(side, found) for side in sides):
                sentence = sentence.replace("its window", "a window that it shares")
            rule = made.rule._replace(section=half[0])
            made = replace(made, rule=rule, sentence=Phrase(sentence))
        if not is_one:
            made = replace(made, lifelines=self._lifelines(found, parties))
        if found.times > 1:
            template = "and {others} more at the same places"
            more = Phrase.of(template, others=found.times - 1)
            made = made.with_detail(replace(more, varies=Varies.RANKS))
        ended = self._completing_procedure(found.first)
        advice = ordering_advice.of_conflict(found, ended, made.advice.text)
        return replace(made, advice=Phrase(advice))

    def _completing_procedure(self, side: Side) -> str:
        # The procedure that has completed the operation, perhaps in another process; "" if it is
        # unknown.
        rank, number = side.completed_at or (-1, -1)
        call = self._logs[rank].call(number) if rank in self._logs else None
        return call.procedure if call is not None else ""

    def _windows(self, sides: Sequence[Side]) -> Iterator[int]:
        # The windows whose memory the sides use at a target.
        for side in sides:
            if isinstance(side.event, events.Operation) and side.kind in AT_TARGET:
                yield side.event.window

    def mistake(self, found: Mistake) -> Finding:
        """Return the finding that reports a wrong use of a window."""
        parties = [self._party(found.event, ())]
        if isinstance(found.other, events.MemoryFreed):
            parties.append(self._freed_party(found.event, found.other))
        elif found.other is not None:
            details = (_OUTLIVED,) if found.rule in _OF_STACKS else ()
            parties.append(self._party(found.other, details))
        made = Finding.of(found.rule, parties)
        if found.rule == "rma-gone":
            made = replace(made, advice=Phrase(ordering_advice.of_gone(found, made.advice.text)))
        return replace(made, lifelines=self._epochs(found))

    def _freed_party(self, event: events.Event, given: events.MemoryFreed) -> Party:
        element = self._role_at(self._call(event), given.met)
        what = Phrase.of("{address}", address=given.met)
        if isinstance(event, (events.WindowMade, events.Attached)):
            of = "the window" if isinstance(event, events.WindowMade) else "the attached memory"
            what = Phrase.of("byte {offset} of {noun}", offset=given.met - event.base, noun=of)
        elif element:
            what = Phrase.of("{element}", element=element)
        subject = Phrase.of(
            "frees the memory at {address}, which contains {what}", address=given.start, what=what
        )
        return Party(self._process(given).number, subject, "at", self._site(given))

    def _role_at(self, call: Call | None, byte: int) -> str:
        # The element with a byte, in one of the operation's local buffers.
        for buffer in call.buffers if call is not None else ():
            if "remote" in buffer.access or not isinstance(buffer.datatype, DatatypeRecord):
                continue
            tree = buffer.datatype.tree
            for element in touching(tree, buffer.count, byte - buffer.address)[:1]:
                return f"{buffer.role}{element.path}"
        return ""

    def _process(self, event: events.Event) -> Process:
        process = self._known.process(event.moment.process)
        assert process is not None
        return process

    def _call(self, event: events.Event) -> Call | None:
        return self._logs[event.moment.process].call(event.moment.number)

    def _site(self, event: events.Event) -> Site:
        return self._logs[event.moment.process].site(event.moment.place)

    def _party(self, event: events.Event, details: tuple[Phrase, ...]) -> Party:
        process, call = self._process(event), self._call(event)
        if isinstance(event, (events.Access, events.ThreadAcquired)) or call is None:
            site = self._site(event) if call is None else call.site
            name = Phrase.of("{text}", text=_name(event))
            return Party(process.number, name, "at", site, None, details)
        if isinstance(event, events.Operation):
            if event.op == "MPI_NO_OP":  # MPI ignores its origin buffer
                taken = (buffer for buffer in call.buffers if buffer.role != "origin_addr")
                call = replace(call, buffers=tuple(taken))
            return Operation(process, call, None, None).party(*details)
        subject = Phrase.of(
            "{procedure}({arguments})", procedure=call.procedure, arguments=_target(event)
        )
        evidence = Evidence(call)
        return Party(process.number, subject, "called at", call.site, None, details, evidence)

    def _side(self, side: Side, found: Conflict) -> Party:
        low, high = found.bytes_of(side)
        verb = f"{_verb(side)}s"
        if self._is_at_unknown_process(side):
            template = "{verb} memory of rank {rank}"
            return self._party(side.event, (Phrase.of(template, verb=verb, rank=found.owner),))
        window = next(self._windows([side]), found.window)
        base = self._bases.get((window, found.owner), 0)
        offset = Phrase("")
        if base and low >= base:
            offset = Phrase.of(
                ", byte {offset} of the window{name}",
                offset=low - base,
                name=self._window_name(side.event.moment.process, window),
            )
        element = self._element(side, found)
        if isinstance(side.event, events.Access) and not found.apart:
            # Loads and stores have no datatype: name the other side's element, whose address is
            # also shown.
            is_first = side is found.first
            other = self._element(found.second if is_first else found.first, found)
            template = "{other} of the second" if is_first else "{other} of the first"
            element = other and Phrase.of(template, other=other)
        own = side.event.moment.process == found.owner and side.kind not in AT_TARGET
        of = Phrase("") if own else Phrase.of(" of rank {rank}", rank=found.owner)
        if element is None:
            bytes = Phrase.of("the bytes [{address}, {end_address})", address=low, end_address=high)
            detail = Phrase.of("{verb} {bytes}{of}{at}", verb=verb, bytes=bytes, of=of, at=offset)
            return self._party(side.event, (detail,))
        detail = Phrase.of(
            "{verb} {name}{of}, at {address}{at}",
            verb=verb,
            name=element,
            of=of,
            address=low,
            at=offset,
        )
        return self._party(side.event, (detail,))

    def _window_name(self, rank: int, identity: int) -> str:
        # The name that the process has set.
        process = self._known.process(rank)
        for win in process.registry.objects("win", ended=True) if process else ():
            if isinstance(win, Win) and win.identity == identity and win.header.name:
                return f' "{win.header.name}"'
        return ""

    def _is_at_unknown_process(self, side: Side) -> bool:
        # Return whether the access is to memory of a process without a log.
        event = side.event
        if not isinstance(event, events.Operation) or side.kind not in AT_TARGET:
            return False
        return self.reach(event.window, event.target) is None

    def _element(self, side: Side, found: Conflict) -> Phrase | None:
        event = side.event
        call = self._call(event) if isinstance(event, events.Operation) else None
        if call is None or not isinstance(event, events.Operation):
            return None
        wanted = side.kind in AT_TARGET
        for buffer in call.buffers:
            if ("remote" in buffer.access) != wanted:
                continue
            address = buffer.address
            if wanted:
                reach = self.reach(event.window, event.target)
                if reach is None:
                    return None
                address = reach[0] + address * reach[1]
            if not isinstance(buffer.datatype, DatatypeRecord):
                continue
            tree = buffer.datatype.tree
            lent = [one.shift for one in event.lent if one.owner == found.owner]
            for shift in lent if _is_direct(side, found) else [0]:
                low, high = (byte - shift - address for byte in found.bytes_of(side))
                for element in touching(tree, buffer.count, low)[:1]:
                    name = Phrase.of("{element}", element=f"{buffer.role}{element.path}")
                    return _part(element, low, high, name)
        return None

    def _lifelines(self, found: Conflict, parties: Sequence[Party]) -> Lifelines:
        points, sides = Points(), (found.first, found.second)

        def at(rank: int, number: int) -> tuple[int, int] | None:
            process, call = self._known.process(rank), self._logs[rank].call(number)
            if process is None or call is None:
                return None
            return points.add(
                NumberedPoint(rank, number, Point(process.number, call.procedure, call.site))
            )

        def event_point(event: events.Event) -> tuple[int, int]:
            return at(event.moment.process, event.moment.number) or self._point(points, event)

        epochs, pending, edges, accesses = [], [], [], []
        told = ""
        ranks = [side.event.moment.process for side in sides]
        for number, (side, party) in enumerate(zip(sides, parties)):
            point = Point(party.process, _name(side.event), party.site, _short(party.details[0]))
            key = points.add(NumberedPoint(ranks[number], side.event.moment.number, point))
            accesses.append(key)
            end = (
                at(*side.completed_at)
                if side.completed_at and side.completed_at[0] in ranks
                else None
            )
            if isinstance(side.event, events.Operation):
                pending.append((key, end))
            if side.epoch is not None:
                closed = at(ranks[number], side.closed) if side.closed >= 0 else end
                call = self._logs[closed[0]].call(closed[1]) if closed else None
                closes = call is not None and call.procedure in _CLOSING
                epochs.append((event_point(side.epoch), closed if closes else None))
            before = at(ranks[1 - number], side.heard_number) if side.heard_by is not None else None
            if ranks[0] == ranks[1]:
                before = None
            if before is not None and side.heard_by is not None:
                edges.append((before, event_point(side.heard_by)))
                if number:
                    known = self._logs[before[0]].call(before[1])
                    told = known.procedure if known is not None else ""
        missing = accesses[0], accesses[1]
        return points.lifelines(epochs, pending, edges, missing, why(found, told))

    def _epochs(self, found: Mistake) -> Lifelines:
        # The lifelines of a mistake, with the epochs around it.
        points = Points()
        is_so, other_is, wanted = MISTAKEN[found.rule]
        wrong = self._point(points, found.event, is_so)
        other = self._point(points, found.other, other_is) if found.other is not None else None
        sides = found.event, found.other
        kept = [
            one for one in found.epochs if one[0] in sides or one in found.epochs[-_MOST_SPANS:]
        ]
        epochs = [
            (self._point(points, begin), self._point(points, end) if end is not None else None)
            for begin, end in kept
            if self._known.process(begin.moment.process) is not None
        ]
        completed = None if isinstance(found.other, events.MemoryFreed) else other
        pending = [(wrong, completed)] if found.rule == "rma-gone" else []
        return points.lifelines(epochs, pending, [], (wrong, wrong), ("", wanted))

    def _point(self, points: Points, event: events.Event, text: str = "") -> tuple[int, int]:
        rank, number = event.moment.process, event.moment.number
        point = Point(self._process(event).number, _name(event), self._site(event), text)
        return points.add(NumberedPoint(rank, number, point))

    def _synchronizations(self, found: Conflict) -> Iterator[Party]:
        # The last synchronization of each side; a common call appears only once.
        told: dict[tuple[int, int], tuple[events.Event, list[Phrase]]] = {}

        def add(event: events.Event | None, what: Phrase) -> None:
            if event is not None:
                key = event.moment.process, event.moment.number
                told.setdefault(key, (event, []))[1].append(what)

        sides = found.first, found.second
        for number, side in enumerate(sides):
            add(side.epoch, _BEGINS[number])
            other = sides[1 - number].event.moment
            last = Phrase.of("the last synchronization with rank {rank}", rank=other.process)
            if other.process == side.event.moment.process:
                last = Phrase.of(
                    "the last synchronization with thread {thread}", thread=other.thread
                )
            add(side.heard_by, last)
        for event, roles in told.values():
            if roles[:2] == [*_BEGINS]:
                roles[:2] = [_BEGINS_ITS if found.why == "itself" else _BEGINS_BOTH]
            yield self._party(event, tuple(roles))


def _in_thread(party: Party, side: Side) -> Party:
    # The party with the thread that has the access.
    detail = Phrase.of("in thread {thread} of the process", thread=side.event.moment.thread)
    return party.with_details(detail)


def _verb(side: Side) -> str:
    # The verb for the effect on memory.
    event = side.event
    is_read = isinstance(event, events.Operation) and event.op == "MPI_NO_OP"
    return "read" if is_read and side.kind in AT_TARGET else _VERBS[side.kind]


def _is_direct(side: Side, found: Conflict) -> bool:
    # Return whether it is a load or store of another process's memory, or an operation whose buffer
    # is there.
    return side.kind not in AT_TARGET and side.event.moment.process != found.owner


def _part(element: Element, low: int, high: int, name: Phrase) -> Phrase:
    # The name of an element, with a byte range if only a part is accessed; not for pair types with
    # a gap.
    first, size = element.displacement, element.size
    start, end = low - first, min(high - first, size)
    if (start, end) == (0, size) or element.datatype.extent != size:
        return name
    return Phrase.of(
        "the bytes [{displacement}, {end_displacement}) of {name}",
        displacement=start,
        end_displacement=end,
        name=name,
    )


def _short(detail: Phrase) -> str:
    # The text of an access. The text contains addresses only if the access has no other
    # description.
    facts = dict(detail.facts)
    if "name" in facts:
        return detail.reworded("{verb} {name}{of}").text
    at = facts.get("at")
    if isinstance(at, Phrase) and at.facts:
        return f"{facts['verb']} {at.reworded('byte {offset} of the window{name}')}"
    return detail.reworded("{verb} {bytes}{of}").text if "bytes" in facts else detail.text


def _name(event: events.Event) -> str:
    if isinstance(event, events.Access):
        return "a store" if event.store else "a load"
    if isinstance(event, events.ThreadAcquired):
        return "synchronizes with another thread"
    return "gives memory back" if isinstance(event, events.MemoryFreed) else event.moment.procedure


def _target(event: events.Event) -> tuple[Phrase, ...]:
    words: list[Phrase] = []
    if isinstance(event, (events.WindowMade, events.Attached)):
        words = [Phrase.of("base = {address}", address=event.base)]
        if isinstance(event, events.WindowMade) or event.attached:
            words.append(Phrase.of("size = {size}", size=event.length))
    elif isinstance(event, events.Synchronization):
        if event.kind == "lock" and event.target >= 0:
            words = [Phrase("exclusive" if event.exclusive else "shared")]
        if event.target >= 0:
            words.append(Phrase.of("rank = {rank}", rank=event.target))
        elif group := [rank for rank in event.group if rank != ALL_OTHERS]:
            noun = "ranks" if len(group) > 1 else "rank"
            listed = ", ".join(map(str, group))
            words.append(Phrase.of("{noun} {rank}", noun=noun, rank=listed))
        if event.asserted:
            words.append(Phrase.of("{constant}", constant=" | ".join(sorted(event.asserted))))
    return tuple(words)
