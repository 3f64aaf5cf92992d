# SPDX-License-Identifier: MIT
"""The output of `mpipp messages`."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mpipp.analysis.context.world import World, worlds
from mpipp.analysis.messages import traffic
from mpipp.common.errors import MpippError
from mpipp.gdb.analysis.inferior_processes import CheckedInferiors
from mpipp.ranks import message_matrix
from mpipp.render import json_output


def lines(options: Collection[str]) -> Iterator[str]:
    """The lines about the messages of each job in this gdb. Raises MpippError."""
    checked = CheckedInferiors()
    jobs = [world for world in worlds(checked.processes) if world.processes]
    if not jobs:
        raise MpippError("no rank of any process is known: there are no messages to show")
    if "--json" in options:
        found = [
            {"size": job.size, "pairs": message_matrix.record(traffic.pairs(job))} for job in jobs
        ]
        content = {"jobs": found, "not_checked": checked.failures}
        yield json_output.document("messages", content)
        return
    for number, job in enumerate(jobs):
        if number:
            yield ""
        yield from _text(job, "--matrix" in options)
    yield from checked.failures


def _text(job: World, as_matrix: bool) -> Iterator[str]:
    pairs = traffic.pairs(job)
    if as_matrix:
        yield from message_matrix.matrix_lines(pairs, job.size)
    else:
        yield from message_matrix.pair_lines(pairs)
    yield message_matrix.total_line(pairs)
    yield from message_matrix.waiting_lines(pairs)
