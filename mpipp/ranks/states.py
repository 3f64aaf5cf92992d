# SPDX-License-Identifier: MIT
"""The states of ranks, one line for all ranks in the same state at the same place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mpipp.ranks import stack_tree
from mpipp.ranks.stack_tree import ARGUMENTS, LIBRARY, MPI, PROGRAM, STATE, StackTree, Step

_MOST_CALLS = 8  # calls of one procedure at one place that are shown separately
_LONGEST = 32  # characters in the text of a set of ranks


class State(NamedTuple):
    """The state of some ranks.

    Attributes:
        call: "MPI_Recv", "" outside MPI.
        text: "in MPI_Recv(source 2, tag 2)", "computing", "in pause in libc.so.6".
        place: "halo.c:17 in exchange", "" if unknown.
        ranks: the ranks, as bits.
    """

    call: str
    text: str
    place: str
    ranks: int

    @property
    def line(self) -> str:
        """The state with its place."""
        if not self.place:
            return self.text
        how = " at" if self.text.endswith(_COMPUTES) else ", called at"
        return f"{self.text}{how} {self.place}"


_COMPUTES = "computing"


def states(tree: StackTree) -> list[State]:
    """The states of all ranks, sorted by the lowest rank. A rank with several threads may have
    several states."""
    found: dict[tuple[str, str, str], int] = {}
    for stack, ranks in tree.stacks():
        key = _state(stack)
        found[key] = found.get(key, 0) | ranks
    by_call: dict[tuple[str, str], list[State]] = {}
    for (call, text, place), ranks in found.items():
        by_call.setdefault((call, place), []).append(State(call, text, place, ranks))
    result: list[State] = []
    for (call, place), each in by_call.items():
        if call and len(each) > _MOST_CALLS:
            every = 0
            for one in each:
                every |= one.ranks
            text = f"in {call} ({len(each)} different calls)"
            result.append(State(call, text, place, every))
        else:
            result += each
    return sorted(result, key=lambda one: (next(stack_tree.members(one.ranks)), one.text))


def _state(stack: Sequence[Step]) -> tuple[str, str, str]:
    # The MPI call, the state and the place of a stack, as text.
    places = [number for number, step in enumerate(stack) if step.kind == PROGRAM]
    place = stack[places[-1]].text if places else ""
    inner = stack[places[-1] + 1 :] if places else stack
    call = next((step.text for step in inner if step.kind == MPI), "")
    arguments = next((step.text for step in inner if step.kind == ARGUMENTS), "")
    called = next((step.text for step in inner if step.kind == LIBRARY), "")
    text = f"in {call}{f'({arguments})' if arguments else ''}" if call else _COMPUTES
    text = f"in {called}" if called and not call else text
    state = next((step.text for step in inner if step.kind == STATE), "")
    if state and text == _COMPUTES and not place:
        return call, state, place
    return call, f"{state}, {text}" if state else text, place


def lines(found: Sequence[State], since: Mapping[int, float], noun: str = "ranks") -> Iterator[str]:
    """A table of the states.

    Args:
        since: by rank, the seconds in the current call, if known.
        noun: the word before the numbers, such as "rank".
    """
    names = [stack_tree.runs(state.ranks, _LONGEST) for state in found]
    width = max([len(noun), *map(len, names)])
    yield f"count  {noun:{width}}  state"
    for name, state in zip(names, found):
        number = stack_tree.count(state.ranks)
        seconds = [since[rank] for rank in stack_tree.members(state.ranks) if rank in since]
        longest = f", for {max(seconds):.0f} s" if state.call and seconds else ""
        yield f"{number:>5}  {name:{width}}  {state.line}{longest}"
