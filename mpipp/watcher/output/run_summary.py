# SPDX-License-Identifier: MIT
"""The summary at the end of a run: the numbers of checked and of unchecked things."""

from __future__ import annotations

from collections.abc import Collection

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
) -> Total:
    """Add up the totals of all processes. Also reports unchecked things to `reporter`.

    Args:
        made: the names of the selected checks.
        queries: the number of queries of all processes.
    """
    counted = [one for one in table.watched if reporter.can_read(one)]
    calls = sum(one.calls for one in counted)
    tables = last_words(counted, made, reporter.note_not_checked)
    reporter.collected.queries = queries
    for sentence in (*stopper.not_stopped(), *files.not_compared(counted)):
        reporter.note_not_checked(sentence)
    if not (counted or reporter.collected.failures):
        reporter.note_failure(table.uninitialized())
    return reporter.collected.total(len(counted), calls)._replace(**tables)
