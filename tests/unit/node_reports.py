# SPDX-License-Identifier: MIT
"""The reports of watchers on the processes of their nodes, from the files of these processes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from mpipp.analysis.findings import formatting
from mpipp.common.run_directory import PROCESSES, RunDirectory, paths
from mpipp.distributed import compare
from mpipp.distributed.process_file import writer


def of_nodes(directory: Path, *nodes: str) -> set[str]:
    """The fingerprints of errors between the processes of each node."""
    found: set[str] = set()
    for node in nodes:
        with tempfile.TemporaryDirectory() as own:
            compared = compare.compare(_only(directory, node, own), ())
        where, label = compared.view.where, compared.view.label
        found.update(formatting.fingerprint(one, where, label) for one in compared.findings)
        found.update(formatting.fingerprint(one, where) for one in compared.findings)
    return found


def _only(directory: Path, node: str, own: str) -> str:
    made = RunDirectory(os.path.join(own, "run"))
    made.begin()
    every = paths(os.path.join(directory, PROCESSES))
    of_node = [path for path in every if writer.head(path).node == node]
    assert of_node, f"nothing is left by {node}"
    for path in of_node:
        made.publish(f"{PROCESSES}/{os.path.basename(path)}", Path(path).read_bytes())
    return made.path
