# SPDX-License-Identifier: MIT
"""The wait-for graph as a picture; processes with the same activity at one place are one group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from mpipp.analysis.deadlock.analysis import Explanation
from mpipp.analysis.deadlock.sentences import Place, Sentences
from mpipp.analysis.deadlock.waits.conditions import events
from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text import wording

_LONGEST = 32  # characters of the ranks of a group


@dataclass
class Group:
    """Processes in the same state."""

    name: str  # "A"
    state: (
        str  # "stuck"; "behind" stuck; "waits" "polls" "calls" "computes" "ends" "died" "missing"
    )
    ranks: list[int]
    text: str  # "MPI_Recv, called at solver.c:80 in relax"
    to: list[str] = field(default_factory=list)  # names of the groups that it waits for


def groups(found: Explanation, place: Place) -> list[Group]:
    """Return the groups, sorted by their lowest ranks, with the groups that each waits for."""
    say = Sentences(found, place)
    by_state: dict[tuple[str, str], Group] = {}
    of: dict[int, Group] = {}
    states = {rank: (_state(found, rank), say.stands(rank).text) for rank in found.states}
    states.update(dict.fromkeys(found.missing, ("missing", "not here")))
    for rank, (state, text) in sorted(states.items()):
        group = by_state.get((state, text))
        if group is None:
            group = by_state[state, text] = Group(_name(len(by_state)), state, [], text)
        group.ranks.append(rank)
        of[rank] = group
    for rank, group in of.items():
        for to in sorted(_waited(found, rank)):
            if to in of and of[to].name not in group.to:
                group.to.append(of[to].name)
    return list(by_state.values())


def named(group: Group) -> str:
    """Return a group's ranks in few words: "ranks 0, 5 to 7 and 14 more"."""
    text = wording.ranks(group.ranks)
    if len(text) <= _LONGEST:
        return text
    some = next(n for n in range(1, len(group.ranks)) if _is_long(group.ranks[: n + 1]))
    return f"{wording.numbered('rank', group.ranks[:some], more=len(group.ranks) - some)}"


def _is_long(ranks: list[int]) -> bool:
    return len(wording.ranks(ranks)) > _LONGEST


def lines(drawn: list[Group]) -> Iterator[str]:
    """Yield the picture in characters, one line for each group."""
    who = [named(group) for group in drawn]
    width = max(map(len, who), default=0)
    longest = max((len(group.text) for group in drawn if group.to), default=0)
    for ranks, group in zip(who, drawn):
        line = f"{group.name}  {ranks:{width}}  {group.text}"
        if group.to:
            line = f"{group.name}  {ranks:{width}}  {group.text:{longest}}"
            line += f"  --> {', '.join(sorted(group.to))}"
        yield line


def _state(found: Explanation, rank: int) -> str:
    if rank in found.stuck:
        return "stuck" if any(rank in knot.ranks for knot in found.knots) else "behind"
    return found.states[rank].kind


def _waited(found: Explanation, rank: int) -> set[int]:
    state = found.states.get(rank)
    if state is None or not found.waits_itself(rank):
        return set()
    lacking = [
        event
        for wait in state.waits
        for event in (found.lacks(wait, lenient=True) or events(wait.condition))
    ]
    return {to for event in lacking for to in event.ranks}


def _name(number: int) -> str:
    # A to Z, then A1 to Z1, and so on.
    letter = chr(ord("A") + number % 26)
    return letter if number < 26 else f"{letter}{number // 26}"
