# SPDX-License-Identifier: MIT
"""The summary at the end of a run: the numbers of checked and of unchecked things."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mpipp.watcher.output.node_results import ProcessFiles
from mpipp.watcher.output.not_checked import last_words
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.output.totals import Total
from mpipp.watcher.processes.process_table import ProcessTable
from mpipp.watcher.queries.process_stopper import ProcessStopper


def total(
    table: ProcessTable,
    reporter: Reporter,
    stopper: ProcessStopper,
    files: ProcessFiles,
    made: Collection[str],
    queries: int,
    unsure: Iterable[str],
) -> Total:
    """Add up the totals of all processes.

    The watcher calls this when all processes exit, and again at its end. So sentences with numbers
    that may still change are not kept in `reporter`.

    Args:
        made: the names of the selected checks.
        queries: the number of queries of all processes.
        unsure: sentences on checks that were not made at the end.
    """
    counted = [one for one in table.watched if reporter.can_read(one)]
    calls = sum(one.calls for one in counted)
    unchecked = list(unsure)
    tables = last_words(counted, made, unchecked.append)
    unchecked += (*stopper.not_stopped(), *files.not_compared(counted))
    reporter.collected.queries = queries
    if not (counted or reporter.collected.failures):
        reporter.note_failure(table.uninitialized())
    found = reporter.collected.total(len(counted), calls)
    tables["unchecked"] = tuple(dict.fromkeys((*found.unchecked, *unchecked)))
    return found._replace(**tables)
