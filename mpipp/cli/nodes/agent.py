# SPDX-License-Identifier: MIT
"""Reads the processes of a job on the node where it runs, and writes them as JSON.

    python -m mpipp.cli.nodes.agent stacks|processes WORD...

mpipp starts this agent through the remote shell. The words come from the command line with which
the job's launcher has started its helper process on this node. They identify the job.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from mpipp.cli.nodes import job_nodes
from mpipp.cli.stacks import job_stacks
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import running_jobs
from mpipp.toolchain.running_jobs import Process

STACKS, PROCESSES = "stacks", "processes"


def main(what: str, *words: str) -> None:
    """Print the answer as one line of JSON."""
    try:
        found = job_nodes.of_job(running_jobs.jobs(), words)
        answer = job_stacks.read(found).record() if what == STACKS else _processes(found)
    except MpippError as error:
        answer = {"failure": str(error)}
    print(plain(json.dumps(answer)))


def _processes(found: Sequence[Process]) -> dict[str, Any]:
    processes = [one._asdict() for one in found]
    return {"processes": processes, "gdbserver": shutil.which("gdbserver") or ""}


if __name__ == "__main__":
    main(*sys.argv[1:])
