# SPDX-License-Identifier: MIT
"""The output of `mpipp where`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from mpipp.common import output_file
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.gdb import job_ranks
from mpipp.gdb.all_ranks import stacks
from mpipp.gdb.all_ranks.stacks import Job, Stacks
from mpipp.ranks import stack_tree
from mpipp.ranks.stack_tree import StackTree
from mpipp.ranks.stack_tree_svg import svg
from mpipp.render import json_output


def lines(file: str, options: Collection[str]) -> Iterable[str]:
    """The stacks as text, by these options. With a file, write the picture to it. Raises
    MpippError."""
    found = stacks.gathered()
    if "--json" in options:
        return [json_output.document("where", _content(found))]
    return [_drawn(file, found)] if file else _text(found)


def _drawn(file: str, found: Stacks) -> str:
    trees = [job.stacks for job in found.jobs] or [found.others]
    if len(trees) > 1:
        raise MpippError(
            f"these processes belong to {len(trees)} jobs: attach to the processes of one job"
        )
    return output_file.write(file, svg(trees[0]))


def _text(found: Stacks) -> Iterator[str]:
    return sections(found, lambda job: stack_tree.lines(job.stacks), stack_tree.lines)


def sections(
    found: Stacks,
    of_job: Callable[[Job], Iterable[str]],
    of_others: Callable[[StackTree, str], Iterable[str]],
) -> Iterator[str]:
    """The lines of each job, then of processes without records, then of processes that have no
    stack."""
    for number, job in enumerate(found.jobs):
        if number:
            yield ""
        if len(found.jobs) > 1:
            yield f"{job_ranks.words(job.inferiors)}, started together:"
        yield from of_job(job)
        if missing := _missing(job):
            yield f"incomplete: {wording.verb(missing, 'is', 'are')} not in this gdb"
    if found.others.ranks:
        if found.jobs:
            yield ""
            yield f"{'ranks' if found.others_are_ranks else 'processes'} without records of mpipp:"
        yield from of_others(found.others, "ranks" if found.others_are_ranks else "inferiors")
    yield from found.failures


def _missing(job: Job) -> list[int]:
    return [rank for rank in range(job.size) if not job.stacks.ranks >> rank & 1]


def _content(found: Stacks) -> dict[str, Any]:
    jobs = [
        {"size": job.size, "inferiors": job.inferiors, "stacks": stack_tree.record(job.stacks)}
        for job in found.jobs
    ]
    others = stack_tree.record(found.others)
    return {"jobs": jobs, "without_rank": others, "failures": found.failures}
