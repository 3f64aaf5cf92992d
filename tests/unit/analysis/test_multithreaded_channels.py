# SPDX-License-Identifier: MIT
"""Channels that threads share: mpipp reports only messages that are wrong in every order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.messages import completed, multithreaded_channels
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import PROCESSES, RunDirectory
from mpipp.common.run_directory import paths as paths_in
from mpipp.distributed import compare, select_channels
from mpipp.distributed.process_file import writer
from mpipp.model import Call, Request
from mpipp.typetree import Datatype
from tests.short import some
from tests.unit.distributed.test_fingerprints import vanish
from tests.unit.ledgers import Ended, buffer, call, processes
from tests.unit.samples import BYTE, CHAR, DOUBLE, FLOAT, INT, basic, contiguous

PACKED = basic("MPI_PACKED", 1)
What = tuple[int, Datatype]


def made(what: Sequence[What], procedure: str) -> list[Call]:
    """Calls, each at a different place."""
    each = enumerate(what, 1)
    return [call(procedure, buffer("buf", size, tree), line=line) for line, (size, tree) in each]


def job(sent: Sequence[What], received: Sequence[What], shares: str = "both") -> list[Ended]:
    """Two processes at their end. `shares` says on which side threads share the channel."""
    sender = Ended(0, 2, shares=shares in ("both", "sender"))
    receiver = Ended(1, 2, shares=shares in ("both", "receiver"))
    if sent:
        sender.sends(1, 5, (1, len(sent), made(sent, "MPI_Send")))
    if received:
        receiver.receives(0, 5, (1, len(received), made(received, "MPI_Recv")))
    return [sender, receiver]


def found(ended: Sequence[Ended]) -> list[Finding]:
    return list(multithreaded_channels.check(World(processes(ended))))


def places(findings: Sequence[Finding]) -> list[tuple[int, int]]:
    """The lines of send and receive of each finding."""
    return [(one.parties[0].site.address, one.parties[1].site.address) for one in findings]


def test_sent_and_never_received_like_that() -> None:
    (one,) = found(job([(2, INT), (1, DOUBLE)], [(2, INT), (4, INT)]))
    assert one.rule.id == "message-types"
    assert one.what.text == (
        "no receive matches this send, at the first element: MPI_DOUBLE is sent, MPI_INT received"
    )
    assert [str(one) for one in one.parties[0].details] == ["sends MPI_DOUBLE: buf(DOUBLE)"]
    assert [str(one) for one in one.parties[1].details] == [
        "receives MPI_INT: buf(INT)",
        "2 different sends and 2 different receives were compared in any order: several threads "
        "use their channel",
    ]


def test_received_and_never_sent_like_that() -> None:
    (one,) = found(job([(2, INT)], [(2, INT), (2, FLOAT)]))
    assert one.what.text.startswith("no send matches this receive, at the first ")
    # Two messages that match nothing else are reported once.
    assert places(found(job([(2, INT), (1, DOUBLE)], [(2, INT), (2, FLOAT)]))) == [(2, 2)]


def test_too_long_for_all() -> None:
    # The message that nothing else matches, or else the longest.
    (one,) = found(job([(8, INT), (1, INT)], [(1, INT), (6, INT), (9, DOUBLE)]))
    assert (one.rule.id, places([one])) == ("message-types", [(1, 3)])
    (one,) = found(job([(8, INT), (1, INT)], [(1, INT), (6, INT), (2, INT)]))
    assert (one.rule.id, places([one])) == ("truncation", [(1, 2)])


@pytest.mark.parametrize(
    "sent, received",
    [
        ([(1, INT), (1, DOUBLE)], [(1, DOUBLE), (1, INT)]),  # any send may match any receive
        ([(2, INT), (0, DOUBLE)], [(8, INT)]),  # messages shorter than the receive
        ([(3, INT)], [(1, contiguous(3, INT))]),
        ([(9, PACKED), (1, INT)], [(1, INT), (9, PACKED)]),
        ([(9, PACKED)], [(9, DOUBLE)]),
        ([(9, BYTE)], [(9, BYTE)]),
    ],
)
def test_what_may_be_right(sent: Sequence[What], received: Sequence[What]) -> None:
    assert found(job(sent, received)) == []


def test_bytes_match_bytes_alone() -> None:
    (one,) = found(job([(9, BYTE), (1, INT)], [(1, INT), (9, CHAR)]))
    assert one.rule.id == "message-types-byte"


WRONG = [(2, INT), (1, DOUBLE)], [(2, INT), (2, FLOAT)]


def test_where_one_side_shares() -> None:
    for shares in ("both", "sender", "receiver"):
        ended = job(*WRONG, shares)
        assert len(found(ended)) == 1
        assert list(completed.check(World(processes(ended)))) == []
    ended = job(*WRONG, "none")
    assert found(ended) == []
    assert len(list(completed.check(World(processes(ended))))) == 1


def test_nothing_is_said_of_what_is_not_known_in_full() -> None:
    for number in range(2):
        ended = job(*WRONG)
        ended[number].status = "started"
        assert found(ended) == []

        ended = job(*WRONG)
        (channel,) = ended[number].channels
        gaps = replace(channel, gaps=True)
        ended[number].channels[:] = [gaps]
        ended[number].histories[gaps] = ended[number].histories[channel]
        assert found(ended) == []

        ended = job(*WRONG)
        ended[number].forgotten = 1
        assert found(ended) == []

        ended = job(*WRONG)
        ended[number].uncertain_all = frozenset({"sends", "receives"})
        assert found(ended) == []

    ended = job(*WRONG)
    ended[1].frozen = True  # the history ends after a receive from any source
    assert found(ended) == []
    ended = job(*WRONG)
    (kept,) = ended[1].histories.values()
    unknown = call("MPI_Recv", replace(buffer("buf", 1, INT), datatype=None), line=3)
    ended[1].channels.clear()
    ended[1].receives(0, 5, (1, 3, [*(one.call for one in kept[0].calls), unknown]))
    assert found(ended) == []


def test_what_is_left_at_the_end_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = job([(2, INT)], [(2, INT), (2, FLOAT)])
    assert len(found(ended)) == 1
    left = object.__new__(Request)
    object.__setattr__(left, "call", made([(2, FLOAT)], "MPI_Irecv")[0])
    object.__setattr__(left.call, "source", 0)
    monkeypatch.setattr(ended[1], "pending_requests", lambda: iter([left]))
    assert found(ended) == []


def test_too_many_kinds_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multithreaded_channels, "_MOST", 3)
    with pytest.raises(MpippError, match="2 different sends and 2 different receives"):
        found(job(*WRONG))
    monkeypatch.setattr(multithreaded_channels, "_MOST", 4)
    assert len(found(job(*WRONG))) == 1


# The oracle: all pairings of messages, in any order.

KINDS: list[What] = [(size, tree) for size in range(4) for tree in (INT, DOUBLE, BYTE, PACKED)]


def elements(what: What) -> list[str]:
    return [what[1].name] * what[0]


def fits(sent: What, received: What) -> bool:
    """Return whether a receive may get a message."""
    one, other = elements(sent), elements(received)
    for mine, theirs in zip(one, other):
        if mine != theirs:
            return "MPI_PACKED" in (mine, theirs)
    return len(one) <= len(other)


def can_all_be_right(sent: Sequence[What], received: Sequence[What]) -> bool:
    """Return whether some order fits every message: a perfect matching by augmenting paths."""
    taken: dict[int, int] = {}

    def place(message: int, seen: set[int]) -> bool:
        for receive, what in enumerate(received):
            if receive in seen or not fits(sent[message], what):
                continue
            seen.add(receive)
            if receive not in taken or place(taken[receive], seen):
                taken[receive] = message
                return True
        return False

    return all(place(message, set()) for message in range(len(sent)))


def test_random_channels() -> None:
    chance = random.Random(11)
    told = silent = 0
    for _ in range(some(2000)):
        count = chance.randint(1, 5)
        kinds = chance.sample(KINDS, chance.randint(1, 4))
        sent, received = (chance.choices(kinds, k=count) for _ in range(2))
        if chance.random() < 0.3:  # correct in some order
            received = [chance.choice([r for r in KINDS if fits(one, r)]) for one in sent]
            chance.shuffle(received)
            assert can_all_be_right(sent, received)
        ended = job(sent, received, chance.choice(("both", "sender", "receiver")))
        findings = found(ended)
        sends = {what for what in sent if not any(fits(what, other) for other in received)}
        receives = {what for what in received if not any(fits(other, what) for other in sent)}
        assert bool(findings) == bool(sends or receives)
        if findings:
            assert not can_all_be_right(sent, received)
            assert not vanish(ended)
        for send, receive in places(findings):
            assert sent[send - 1] in sends or received[receive - 1] in receives
            assert not fits(sent[send - 1], received[receive - 1])
        told, silent = told + bool(findings), silent + (not findings)
    assert told > some(200) and silent > some(200)


def test_sums_vanish_where_both_sides_have_the_same() -> None:
    assert vanish(job([(1, INT), (1, DOUBLE), (1, INT)], [(1, DOUBLE), (1, INT)]))
    assert not vanish(job(*WRONG))


def test_left_for_other_nodes(tmp_path: Path) -> None:
    for one in job(*WRONG):
        content = writer.written(one.process(), lambda site: [], "node").process
        RunDirectory(str(tmp_path)).publish(f"{PROCESSES}/{one.rank}", content)
    compared = compare.compare(str(tmp_path), told=[])
    assert [one.what.text for one in compared.findings] == [
        one.what.text for one in found(job(*WRONG))
    ]
    chosen = select_channels.select(
        paths_in(str(tmp_path / PROCESSES)), select_channels.SingleProcess()
    )
    assert [len(portion.keys) for portion in chosen.portions] == [1]
