# SPDX-License-Identifier: MIT
"""The findings of watchers as blocks of text with records, and their merging over nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.common.run_directory import NODES, RunDirectory
from mpipp.common.text import wording
from mpipp.common.text.sanitize import Styled
from mpipp.render import finding_head
from mpipp.watcher.output.totals import NOTHING, Total

MOST_AT_A_PLACE = 20  # findings that a run reports at one place
MOST = 200
ALIKE = "alike"  # member of a record that only `merged` reads

_Processes = list[list[int]]  # for each merged finding, the ranks of its parties
_COUNTED = {"error": "errors", "warning": "warnings"}  # severities
_SEVERITIES = (*_COUNTED, "remark")
_TEXTS = ("id", "what", "rule", "advice", "must", "text", "shown_as")
_PARTY = ("process", "text", "made")


class Block(NamedTuple):
    """A block of the report: a finding, or a remark."""

    text: str
    records: list[dict[str, Any]]  # for JSON; empty for a remark
    printed: bool = True
    # Ranks that were found to have this finding after the block was printed.
    late: Sequence[int] = ()

    def shown(self, coloured: bool = False) -> str:
        """The text for the terminal, with an empty line at the end."""
        text = f"{finding_head.printed_record(self.text, self.records, coloured)}\n\n"
        return Styled(text) if coloured else text


def read(said: Sequence[Any]) -> Block:
    """A block from another node. Raises ValueError, KeyError, TypeError if it is invalid."""
    block = Block(*said)._replace(late=())
    if not isinstance(block.text, str):
        raise TypeError
    for record in block.records:
        if record["severity"] not in _SEVERITIES:
            raise ValueError
        finding_head.point(record)
        if ALIKE in record:
            _look_at(record, **record[ALIKE])
    return block


def _look_at(record: dict[str, Any], key: Any, ranks: Any) -> None:
    # Check the members that `merged` uses.
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
    """The key that equal findings of other nodes have; "" for a finding that is never merged."""
    known = found[0].get(ALIKE) if len(found) == 1 else None
    return str(known["key"]) if known else ""


def is_to_be_printed(directory: str, text: str, found: Sequence[dict[str, Any]]) -> bool:
    """Return whether to print a block: no other node has printed the same one in the same terminal.

    Blocks from other nodes may have other ranks. A block with an individual line is always printed,
    such as the way to attach to a process that stopped.

    Args:
        directory: the run's directory, which exists if there are several nodes.
    """
    known = key(found)
    if not known or text != found[0]["text"]:
        return True
    try:
        return RunDirectory(directory).claim(f"{NODES}/.{known}")
    except OSError:  # an unwritable directory is reported elsewhere
        return True


def repeats(told: Iterable[Block], one: Block) -> bool:
    """Return whether `merged` will merge a finding with an earlier one of other ranks.

    A finding with an individual line is never merged.
    """
    known = key(one.records)
    if not known or one.text != one.records[0]["text"]:
        return False
    return any(key(before.records) == known and _may_join(before, one) for before in told)


def too(one: Block) -> str:
    """A sentence with the ranks that were found to have a block's finding after the block was
    printed."""
    record = one.records[0]
    place = next((f" ({party['where'][0]})" for party in record["parties"] if party["where"]), "")
    return f"also in {wording.ranks({*one.late})}: {record['what']}{place}"


def counted(told: Iterable[Block]) -> Total:
    """The numbers of errors and warnings among the blocks."""
    found = Counter(record["severity"] for one in told for record in one.records)
    return NOTHING._replace(errors=found["error"], warnings=found["warning"])


def merged(told: Iterable[Block], total: Total) -> tuple[list[Block], Total]:
    """Merge the findings of several nodes that differ only by rank.

    Returns the blocks and the total. The limits for a place and for a run are those of one watcher.
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
            total = _less(total, one)._replace(unreported=total.unreported + 1)
    return kept, total


def records(told: Iterable[Block]) -> list[dict[str, Any]]:
    """The findings as records for JSON."""
    found = (record for one in told for record in one.records)
    return [{name: value for name, value in one.items() if name != ALIKE} for one in found]


def place(record: dict[str, Any]) -> object:
    """The place of a finding. The number of reports at one place is limited."""
    return record["id"], tuple(sorted(tuple(party["where"]) for party in record["parties"]))


def _ranks(one: Block) -> _Processes:
    ranks: _Processes = one.records[0][ALIKE]["ranks"]
    return ranks


def _may_join(into: Block, one: Block) -> bool:
    # Findings that share a process are different, so they are not merged.
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
    from mpipp.analysis.findings import formatting  # slow to import

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
    # Yield for each block whether to report it.
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
    name = _COUNTED.get(one.records[0]["severity"])
    if name is None:
        return total
    return total._replace(**{name: getattr(total, name) - 1})
