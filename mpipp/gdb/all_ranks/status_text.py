# SPDX-License-Identifier: MIT
"""The output of `mpipp status`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import gdb

from mpipp.analysis.context.process import Process
from mpipp.gdb.all_ranks import call_times, stacks, where_text
from mpipp.gdb.all_ranks.stacks import Job
from mpipp.gdb.debug_session import connections
from mpipp.ranks import states
from mpipp.ranks.stack_tree import StackTree


def lines() -> Iterator[str]:
    """The states of all processes in this gdb. Raises MpippError if this gdb has no process."""
    return where_text.sections(stacks.gathered(), _of_job, _of_others)


class Row(NamedTuple):
    """A line of the status, and the ranks that it is about, as bits; 0 for other lines."""

    text: str
    ranks: int


def rows() -> list[Row]:
    """The lines of `lines`, with ranks if all processes belong to one job. Raises MpippError."""
    found = stacks.gathered()
    texts = list(where_text.sections(found, _of_job, _of_others))
    trees = [job.stacks for job in found.jobs]
    if not trees and found.others_are_ranks:
        trees = [found.others]
    if len(trees) != 1:
        return [Row(text, 0) for text in texts]
    # The first line is a title. Lines about other processes may follow.
    ranks = [0, *(one.ranks for one in states.states(trees[0]))]
    ranks += [0] * (len(texts) - len(ranks))
    return [Row(*one) for one in zip(texts, ranks)]


def _of_job(job: Job) -> Iterator[str]:
    # Leave out ranks on other nodes, whose clocks differ from this one's.
    here = {rank: one for rank, one in job.live.items() if not _is_on_another_node(one)}
    times = {rank: call_times.seconds(process) for rank, process in here.items()}
    since = {rank: passed for rank, passed in times.items() if passed is not None}
    return states.lines(states.states(job.stacks), since)


def _is_on_another_node(process: Process) -> bool:
    # The process has the number of its inferior.
    inferior = next((one for one in gdb.inferiors() if one.num == process.number), None)
    return inferior is not None and connections.is_remote(inferior)


def _of_others(tree: StackTree, noun: str) -> Iterator[str]:
    return states.lines(states.states(tree), {}, noun)
