# SPDX-License-Identifier: MIT
"""The output of `mpipp status`."""

from __future__ import annotations

from collections.abc import Iterator

import gdb

from mpipp.analysis.context.process import Process
from mpipp.gdb.all_ranks import call_times, stacks, where_text
from mpipp.gdb.all_ranks.stacks import Job
from mpipp.gdb.ranks import connections
from mpipp.ranks import states
from mpipp.ranks.stack_tree import StackTree


def lines() -> Iterator[str]:
    """The states of all processes in this gdb. Raises MpippError if there is none."""
    return where_text.sections(stacks.gathered(), _of_job, _of_others)


def _of_job(job: Job) -> Iterator[str]:
    # Another node's clock is not this one's.
    here = {rank: one for rank, one in job.live.items() if not _is_on_another_node(one)}
    times = {rank: call_times.seconds(process) for rank, process in here.items()}
    since = {rank: passed for rank, passed in times.items() if passed is not None}
    return states.lines(states.states(job.stacks), since)


def _is_on_another_node(process: Process) -> bool:
    # process: its number is the inferior's.
    inferior = next((one for one in gdb.inferiors() if one.num == process.number), None)
    return inferior is not None and connections.is_remote(inferior)


def _of_others(tree: StackTree, noun: str) -> Iterator[str]:
    return states.lines(states.states(tree), {}, noun)
