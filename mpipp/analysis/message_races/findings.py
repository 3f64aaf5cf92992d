# SPDX-License-Identifier: MIT
"""Findings from races of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mpipp.analysis.context.process import Process
from mpipp.analysis.context.records_protocol import OnesidedLog
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Evidence, Finding, Party
from mpipp.analysis.message_races.messages import Race, Send, Taker
from mpipp.model import Comm
from mpipp.model.message_events import Channel
from mpipp.model.rma_events import Event
from mpipp.render.phrases import Phrase, Value, Varies

_AFTER_PROBE = (
    "pass the source and the tag from the probe's status to the receive, or use MPI_Mprobe{clause}"
)
_MOST_PLACES = 4  # places of receives in a remark


class RaceFindings:
    """Makes findings about the processes with logs, by their ranks in MPI_COMM_WORLD."""

    def __init__(self, known: World, logs: Mapping[int, OnesidedLog]) -> None:
        self._known = known
        self._logs = logs

    def findings(self, races: Sequence[Race]) -> Iterator[Finding]:
        """Yield one warning or remark for each receive, and one for all races in loops."""
        looped: dict[tuple[int, int], Race] = {}
        crossing: dict[tuple[int, int], list[Race]] = {}
        different: dict[tuple[int, int], list[Race]] = {}
        for race in races:
            key = race.taker.process, race.taker.place
            if race.has_one_place:
                looped.setdefault(key, race)
            else:
                of_all = crossing if race.is_of_one_sender else different
                of_all.setdefault(key, []).append(race)
        shown = {**crossing, **different}
        for first, *others in shown.values():
            yield self._race(first, sum(one.times for one in (first, *others)))
        remarked = [race for key, race in looped.items() if key not in shown]
        if remarked:
            yield self._remark(remarked)

    def _race(self, race: Race, times: int) -> Finding:
        rule, case = "message-race", "probe" if race.taker.probes else "receive"
        probe = race.taker.shown_by
        facts: dict[str, Value] = {"clause": _repetition(race)}
        if probe is not None:
            case = "after probe"
            facts["other_procedure"] = probe.event.moment.procedure
        if race.is_of_one_sender:
            rule, case = "message-crossing", ""
        found = Finding.of(
            rule,
            self._parties(race),
            case,
            procedure=race.taker.event.moment.procedure,
            rank=race.taker.event.channel.source,
            other_rank=race.other.event.channel.source,
            **facts,
        )
        if case == "after probe":
            found = replace(found, advice=Phrase.of(_AFTER_PROBE, clause=facts["clause"]))
        if times > 1:
            more = Phrase.of("and {others} more messages at the same places", others=times - 1)
            found = found.with_detail(replace(more, varies=Varies.RANKS))
        return found

    def _parties(self, race: Race) -> list[Party]:
        # The receive, the sends of both messages, and the call that took the other message.
        verb = "found" if race.taker.probes else "took"
        parties = [self._receive(race.taker, Phrase.of("{verb} the first message", verb=verb))]
        if race.taken is not None:
            parties.append(self._send(race.taken, Phrase("sends the first message")))
        could = "" if race.is_of_one_sender else ", which could have come first"
        late = self._send(race.other, Phrase(f"sends another message{could}"))
        if race.instead is None:
            parties.append(late.with_details(Phrase("no call received it")))
        else:
            verb = "found" if race.instead.probes else "took"
            its = Phrase.of("{verb} the other message", verb=verb)
            parties += [late, self._receive(race.instead, its)]
        # The head of the report is the place of the receive.
        return [parties[0], *(replace(one, is_wrong=False) for one in parties[1:])]

    def _remark(self, races: Sequence[Race]) -> Finding:
        parties = []
        for race in races[:_MOST_PLACES]:
            taken = Phrase.of(
                "took the message of rank {rank}, and could have taken that of rank {other_rank}",
                rank=race.taker.event.channel.source,
                other_rank=race.other.event.channel.source,
            )
            parties.append(self._receive(race.taker, taken))
        found = Finding.of("message-order", parties)
        if len(races) > len(parties):
            left = len(races) - len(parties)
            found = found.with_detail(Phrase.of("and {others} more receives", others=left))
        return found

    def _receive(self, taker: Taker, detail: Phrase) -> Party:
        event, comm = taker.event, self._comm(taker.event, taker.event.channel)
        source = "MPI_ANY_SOURCE" if event.any_source else "{rank}"
        tag = "MPI_ANY_TAG" if event.any_tag else "{tag}"
        subject = _call(
            f"{{procedure}}(source = {source}, tag = {tag}",
            comm,
            procedure=event.moment.procedure,
            rank=_rank_in(comm, event.channel.source),
            tag=event.channel.tag,
        )
        return self._party(event, subject, detail)

    def _send(self, send: Send, detail: Phrase) -> Party:
        event, comm = send.event, self._comm(send.event, send.event.channel)
        subject = _call(
            "{procedure}(dest = {rank}, tag = {tag}",
            comm,
            procedure=event.moment.procedure,
            rank=_rank_in(comm, event.channel.destination),
            tag=event.channel.tag,
        )
        return self._party(event, subject, detail)

    def _party(self, event: Event, subject: Phrase, detail: Phrase) -> Party:
        log = self._logs[event.moment.process]
        call = log.call(event.moment.number)
        site = log.site(event.moment.place) if call is None else call.site
        number = self._process(event).number
        return Party(number, subject, "called at", site, None, (detail,), Evidence(call))

    def _process(self, event: Event) -> Process:
        process = self._known.process(event.moment.process)
        assert process is not None
        return process

    def _comm(self, event: Event, channel: Channel) -> Comm | None:
        comms = self._known.comms(self._process(event))
        return next((one for one in comms if one.identity == channel.context), None)


def _repetition(race: Race) -> str:
    # The run that shows whether the other message changes the result.
    if race.is_of_one_sender or not race.can_be_forced:
        return ""
    event = race.taker.event
    chosen = f"{event.moment.process}.{race.taker.ordinal}.{race.other.event.channel.source}"
    return f"; to try the other message, run with --provoke=match:{chosen}"


def _rank_in(comm: Comm | None, world_rank: int) -> int:
    # The rank of a peer in the communicator; its rank in MPI_COMM_WORLD if that is unknown.
    ranks = (comm.remote_world_ranks if comm.inter else comm.world_ranks) if comm else None
    if ranks is None or world_rank not in ranks:
        return world_rank
    return ranks.index(world_rank)


def _call(template: str, comm: Comm | None, **facts: Value) -> Phrase:
    # A call with the name of its communicator, if it has one.
    name = comm.header.name if comm is not None else ""
    if not name:
        return Phrase.of(f"{template})", **facts)
    return Phrase.of(f'{template}, comm = "{{name}}")', **facts, name=name)
