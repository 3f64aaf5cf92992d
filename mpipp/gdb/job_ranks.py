# SPDX-License-Identifier: MIT
"""The ranks of the inferiors of `mpipp debug`, and words for inferiors in messages."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.common.text import wording

_ranks: dict[int, int] = {}  # by the inferior's number
_halted: set[int] = set()  # numbers of inferiors


def name(inferior: int, rank: int) -> None:
    """Use `rank`, from the launcher, as the rank of an inferior."""
    _ranks[inferior] = rank


def rank(inferior: int) -> int | None:
    """The rank of an inferior; None if no `mpipp debug` has set it."""
    return _ranks.get(inferior)


def set_halted(inferiors: Iterable[int]) -> None:
    """Note which inferiors, which run for gdb, the kernel has stopped for the present command."""
    _halted.clear()
    _halted.update(inferiors)


def is_halted(inferior: int) -> bool:
    """Return whether the kernel has stopped an inferior that runs for gdb."""
    return inferior in _halted


def words(inferiors: Iterable[int]) -> str:
    """Inferiors in words: "inferiors 2 and 3", or in a gdb of `mpipp debug` "ranks 1 and 2"."""
    numbers = list(inferiors)
    ranks = [_ranks[number] for number in numbers if number in _ranks]
    others = [number for number in numbers if number not in _ranks]
    names = [wording.ranks(ranks)] if ranks else []
    names += [wording.numbered("inferior", others)] if others else []
    return " and ".join(names)


def interrupt() -> str:
    """The command that stops running threads."""
    return "mpipp interrupt" if _ranks else "interrupt"


def no_process() -> str:
    """The sentence about a gdb that has neither a process nor a core file."""
    if _ranks:
        return "no rank has a process: mpipp restart starts the job again"
    return "there is no process and no core file: run the program or open a core"
