# SPDX-License-Identifier: MIT
"""The output of `mpipp status`."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.gdb.all_ranks import call_times, stacks, where_text
from mpipp.gdb.all_ranks.stacks import Job
from mpipp.ranks import states
from mpipp.ranks.stack_tree import StackTree


def lines() -> Iterator[str]:
    """The states of all processes in this gdb. Raises MpippError if there is none."""
    return where_text.sections(stacks.gathered(), _of_job, _of_others)


def _of_job(job: Job) -> Iterator[str]:
    times = {rank: call_times.seconds(process) for rank, process in job.live.items()}
    since = {rank: passed for rank, passed in times.items() if passed is not None}
    return states.lines(states.states(job.stacks), since)


def _of_others(tree: StackTree, noun: str) -> Iterator[str]:
    return states.lines(states.states(tree), {}, noun)
