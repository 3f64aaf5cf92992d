# SPDX-License-Identifier: MIT
"""Reads the processes of a job on the node where it runs, and writes them as JSON.

    python -m mpipp.cli.nodes.agent stacks|processes|records|movements WORD...
    python -m mpipp.cli.nodes.agent values EXPRESSION WORD...

mpipp starts this agent through the remote shell. The words come from the command line with which
the job's launcher has started its helper process on this node. The words identify the job.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any

from mpipp.cli.nodes import job_nodes
from mpipp.cli.stacks import job_records, job_stacks, job_values
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import running_jobs
from mpipp.toolchain.running_jobs import Process

STACKS, PROCESSES, RECORDS, MOVEMENTS = "stacks", "processes", "records", "movements"
VALUES = "values"


def main(what: str, *words: str) -> None:
    """Print the answer as one line of JSON."""
    try:
        answer = _values(*words) if what == VALUES else _ANSWERS[what](_found(words))
    except MpippError as error:
        answer = {"failure": str(error)}
    print(plain(json.dumps(answer)))


def _found(words: Sequence[str]) -> list[Process]:
    return job_nodes.of_job(running_jobs.jobs(), words)


def _values(expression: str, *words: str) -> dict[str, Any]:
    return job_values.read(_found(words), expression).record()


def _stacks(found: Sequence[Process]) -> dict[str, Any]:
    return job_stacks.read(found).record()


def _processes(found: Sequence[Process]) -> dict[str, Any]:
    processes = [one._asdict() for one in found]
    return {"processes": processes, "gdbserver": shutil.which("gdbserver") or ""}


_ANSWERS: dict[str, Callable[[Sequence[Process]], dict[str, Any]]] = {
    STACKS: _stacks,
    PROCESSES: _processes,
    RECORDS: job_records.record,
    MOVEMENTS: job_records.movement_record,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
