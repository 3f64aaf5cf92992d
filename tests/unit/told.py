# SPDX-License-Identifier: MIT
"""What watchers have told of the processes of their nodes, from the files that these have left."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from mpipp.agreement import files, run
from mpipp.checks import report
from mpipp.rundirectory import PROCESSES, RunDirectory, paths


def of_nodes(directory: Path, *nodes: str) -> set[str]:
    """The fingerprints of what is wrong between the processes of each node."""
    found: set[str] = set()
    for node in nodes:
        with tempfile.TemporaryDirectory() as own:
            compared = run.compare(_only(directory, node, own), ())
        where, label = compared.view.where, compared.view.label
        found.update(report.fingerprint(one, where, label) for one in compared.findings)
        found.update(report.fingerprint(one, where) for one in compared.findings)
    return found


def _only(directory: Path, node: str, own: str) -> str:
    made = RunDirectory(os.path.join(own, "run"))
    made.begin()
    every = paths(os.path.join(directory, PROCESSES))
    of_node = [path for path in every if files.head(path).node == node]
    assert of_node, f"nothing is left by {node}"
    for path in of_node:
        made.publish(f"{PROCESSES}/{os.path.basename(path)}", Path(path).read_bytes())
    return made.path
