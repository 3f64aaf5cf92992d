# SPDX-License-Identifier: MIT
"""What watchers tell, block by block, and the same of several nodes as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.show import wording
from mpipp.watch.total import Total

MOST_AT_A_PLACE = 20  # findings that are told, of a run
MOST = 200
ALIKE = "alike"  # what a record has for `joined` alone

_Processes = list[list[int]]  # of each finding that was folded, the ranks of its parties


class Block(NamedTuple):
    """What is told at once."""

    text: str
    records: list[dict[str, Any]]  # the same for machines; none of a remark
    printed: bool = True


def joined(told: Iterable[Block], total: Total) -> tuple[list[Block], Total]:
    """Findings of several nodes that differ only by rank as one, with all their ranks.

    Returns also what they are in all: of a place, and of a run, there are no more than one watcher
    would tell.
    """
    result: list[Block] = []
    groups: dict[str, list[int]] = {}
    for one in told:
        known = one.records[0].get(ALIKE) if len(one.records) == 1 else None
        same = groups.setdefault(known["key"], []) if known else []
        into = next((n for n in same if known and _may_join(result[n], known["ranks"])), None)
        if into is not None:
            result[into] = _one(result[into], one)
            total = _less(total, one)
            continue
        same.append(len(result))
        result.append(one)
    kept = list(_bounded(result))
    for one in result:
        if one not in kept:
            total = _less(total, one)._replace(untold=total.untold + 1)
    return kept, total


def records(told: Iterable[Block]) -> list[dict[str, Any]]:
    """For machines."""
    found = (record for one in told for record in one.records)
    return [{name: value for name, value in one.items() if name != ALIKE} for one in found]


def place(record: dict[str, Any]) -> object:
    """That of a finding, of which not too many are told."""
    return record["id"], tuple(sorted(tuple(party["where"]) for party in record["parties"]))


def _may_join(into: Block, ranks: _Processes) -> bool:
    # Of the same processes they are several.
    known: _Processes = into.records[0][ALIKE]["ranks"]
    return not any(one in known for one in ranks)


def _one(into: Block, one: Block) -> Block:
    first, other = into.records[0], one.records[0]
    ranks: _Processes = [*first[ALIKE]["ranks"], *other[ALIKE]["ranks"]]
    before, text, at = first["text"], first["text"], 0
    parties = []
    for number, party in enumerate(first["parties"]):
        label = wording.ranks({of[number] for of in ranks})
        old = f"\n  {party['process']}: {party['text']}"
        at = text.index(old, at)
        new = f"\n  {label}: {party['text']}"
        text = text[:at] + new + text[at + len(old) :]
        parties.append({**party, "process": label})
    shown_as = f"\n  shown as in {wording.ranks(set(ranks[0]))}"
    if shown_as not in text and _shown(first) != _shown(other):
        at = text.index("\n  may follow from: " if first["follows"] else "\n  rule: ", at)
        text = text[:at] + shown_as + text[at:]
    record = {**first, "parties": parties, "text": text}
    record[ALIKE] = {**first[ALIKE], "ranks": ranks}
    printed = into.printed and one.printed
    return Block(into.text.replace(before, text, 1), [record], printed)


def _shown(record: dict[str, Any]) -> object:
    parties = [(party["text"], party["details"]) for party in record["parties"]]
    return [record[name] for name in ("what", "rule", "advice", "follows")], parties


def _bounded(told: Sequence[Block]) -> Iterator[Block]:
    at: Counter[object] = Counter()
    number = 0
    for one in told:
        if len(one.records) == 1 and ALIKE in one.records[0]:
            key = place(one.records[0])
            if at[key] >= MOST_AT_A_PLACE or number >= MOST:
                continue
            at[key] += 1
        number += len(one.records)
        yield one


def _less(total: Total, one: Block) -> Total:
    name = "errors" if one.records[0]["severity"] == "error" else "warnings"
    return total._replace(**{name: getattr(total, name) - 1})
