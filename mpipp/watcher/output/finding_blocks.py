# SPDX-License-Identifier: MIT
"""What watchers tell, block by block, and the same of several nodes as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.analysis.findings import formatting
from mpipp.common.run_directory import NODES, RunDirectory
from mpipp.common.text import wording
from mpipp.watcher.output.totals import NOTHING, Total

MOST_AT_A_PLACE = 20  # findings that are told, of a run
MOST = 200
ALIKE = "alike"  # what a record has for `merged` alone

_Processes = list[list[int]]  # of each finding that was folded, the ranks of its parties
_SEVERITIES = {"error": "errors", "warning": "warnings"}
_TEXTS = ("id", "what", "rule", "advice", "must", "text", "shown_as")
_PARTY = ("process", "text", "made")


class Block(NamedTuple):
    """What is told at once."""

    text: str
    records: list[dict[str, Any]]  # the same for machines; none of a remark
    printed: bool = True
    late: Sequence[int] = ()  # ranks that it is of, too, where it was printed without them


def read(said: Sequence[Any]) -> Block:
    """One that a node has written. Raises ValueError, KeyError, TypeError if it makes no sense."""
    block = Block(*said)._replace(late=())
    if not isinstance(block.text, str):
        raise TypeError
    for record in block.records:
        if record["severity"] not in _SEVERITIES:
            raise ValueError
        if ALIKE in record:
            _look_at(record, **record[ALIKE])
    return block


def _look_at(record: dict[str, Any], key: Any, ranks: Any) -> None:
    # What is needed to join it with others.
    parties = record["parties"]
    texts = [key, *(record[name] for name in _TEXTS), record["follows"] or ""]
    for party in parties:
        texts += [*(party[name] for name in _PARTY), *party["where"], *party["details"]]
    numbers = [rank for of in ranks for rank in of]
    if not all(isinstance(one, str) for one in texts):
        raise TypeError
    if not all(type(one) is int for one in numbers) or not ranks:
        raise TypeError
    if any(len(of) != len(parties) for of in ranks):
        raise ValueError


def key(found: Sequence[dict[str, Any]]) -> str:
    """What a finding has in common with those of other nodes; "" if it is joined with none."""
    known = found[0].get(ALIKE) if len(found) == 1 else None
    return str(known["key"]) if known else ""


def is_to_be_printed(directory: str, text: str, found: Sequence[dict[str, Any]]) -> bool:
    """Whether no other node has printed the same block, of other ranks, in the same terminal.

    With a line of its own, such as how to attach to a process that has stopped, it always is.

    Args:
        directory: the run's, which is there if there are several nodes.
    """
    known = key(found)
    if not known or text != found[0]["text"]:
        return True
    try:
        return RunDirectory(directory).claim(f"{NODES}/.{known}")
    except OSError:  # that it cannot be written is said where it matters
        return True


def repeats(told: Iterable[Block], one: Block) -> bool:
    """Whether `merged` takes a finding for one that was told before, of other ranks.

    One with a line of its own never is.
    """
    known = key(one.records)
    if not known or one.text != one.records[0]["text"]:
        return False
    return any(key(before.records) == known and _may_join(before, one) for before in told)


def too(one: Block) -> str:
    """Of which other ranks a block is that was printed without them."""
    record = one.records[0]
    place = next((f" ({party['where'][0]})" for party in record["parties"] if party["where"]), "")
    return f"the same of {wording.ranks({*one.late})}: {record['what']}{place}"


def counted(told: Iterable[Block]) -> Total:
    """The errors and warnings among them."""
    found = Counter(record["severity"] for one in told for record in one.records)
    return NOTHING._replace(errors=found["error"], warnings=found["warning"])


def merged(told: Iterable[Block], total: Total) -> tuple[list[Block], Total]:
    """Findings of several nodes that differ only by rank, merged, with all their ranks.

    Returns also what they are in all: of a place, and of a run, there are no more than one watcher
    would tell.
    """
    result: list[Block] = []
    groups: dict[str, list[int]] = {}
    for one in told:
        known = key(one.records)
        same = groups.setdefault(known, []) if known else []
        into = next((n for n in same if _may_join(result[n], one)), None)
        if into is not None:
            result[into] = _merged_block(result[into], one)
            total = _less(total, one)
            continue
        same.append(len(result))
        result.append(one)
    kept = []
    for one, is_told in zip(result, _bounded(result)):
        if is_told:
            kept.append(one)
        else:
            total = _less(total, one)._replace(untold=total.untold + 1)
    return kept, total


def records(told: Iterable[Block]) -> list[dict[str, Any]]:
    """For machines."""
    found = (record for one in told for record in one.records)
    return [{name: value for name, value in one.items() if name != ALIKE} for one in found]


def place(record: dict[str, Any]) -> object:
    """That of a finding, of which not too many are told."""
    return record["id"], tuple(sorted(tuple(party["where"]) for party in record["parties"]))


def _ranks(one: Block) -> _Processes:
    ranks: _Processes = one.records[0][ALIKE]["ranks"]
    return ranks


def _may_join(into: Block, one: Block) -> bool:
    # Of the same processes they are several.
    return {*map(tuple, _ranks(into))}.isdisjoint(map(tuple, _ranks(one)))


def _merged_block(into: Block, one: Block) -> Block:
    first, other = into.records[0], one.records[0]
    ranks = [*_ranks(into), *_ranks(one)]
    parties = []
    for number, party in enumerate(first["parties"]):
        of = sorted({one[number] for one in ranks})
        parties.append({**party, "process": wording.ranks(of), "ranks": of})
    shown_as = first["shown_as"]
    if _shown(first) != _shown(other):
        shown_as = wording.ranks(set(ranks[0]))
    record = {**first, "parties": parties, "shown_as": shown_as}
    record.update(formatting.shown(formatting.lines(record)))
    record[ALIKE] = {**first[ALIKE], "ranks": ranks}
    late = {*into.late, *one.late}
    if into.printed != one.printed:
        late.update(rank for of in _ranks(one if into.printed else into) for rank in of)
    printed = into.printed or one.printed
    text = into.text.replace(first["text"], record["text"], 1)
    return Block(text, [record], printed, sorted(late))


def _shown(record: dict[str, Any]) -> object:
    parties = [(party["text"], party["details"]) for party in record["parties"]]
    return [record[name] for name in ("what", "rule", "advice", "follows")], parties


def _bounded(told: Sequence[Block]) -> Iterator[bool]:
    # Of each whether it is told.
    at: Counter[object] = Counter()
    number = 0
    for one in told:
        if len(one.records) == 1 and ALIKE in one.records[0]:
            key = place(one.records[0])
            if at[key] >= MOST_AT_A_PLACE or number >= MOST:
                yield False
                continue
            at[key] += 1
        number += len(one.records)
        yield True


def _less(total: Total, one: Block) -> Total:
    name = _SEVERITIES[one.records[0]["severity"]]
    return total._replace(**{name: getattr(total, name) - 1})
