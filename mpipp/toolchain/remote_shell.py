# SPDX-License-Identifier: MIT
"""Commands on another node, over a pipe that the user's own rights open: ssh, or srun in a job."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from mpipp.common.errors import MpippError

_PACKAGES = str(Path(__file__).resolve().parents[2])
NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,252}")  # of a node
_NODE = "{}"  # stands for the node's name in the user's words


def words(chosen: str | None) -> list[str]:
    """The words that start a command on a node, whose name replaces "{}".

    Args:
        chosen: the user's choice, with or without "{}"; None: srun inside a job of Slurm, else ssh.

    Raises MpippError.
    """
    if chosen is None:
        job = os.environ.get("SLURM_JOB_ID", "")
        if job:
            alone = ["--overlap", "--quiet", "--nodes=1", "--ntasks=1", "--mpi=none"]
            return ["srun", f"--jobid={job}", *alone, f"--nodelist={_NODE}"]
        return ["ssh", "-x", "-o", "BatchMode=yes", _NODE]
    try:
        found = shlex.split(chosen)
    except ValueError as error:
        raise MpippError(f"--remote-shell {chosen}: {error}") from None
    if not found:
        raise MpippError("--remote-shell is empty: leave it out, or name a command as ssh")
    return found if any(_NODE in word for word in found) else [*found, _NODE]


def on_node(shell: Sequence[str], node: str, command: Sequence[str]) -> list[str]:
    """The words of a command that runs on a node.

    Args:
        shell: of `words`.

    Raises MpippError for a name that no node has.
    """
    if not NAME.fullmatch(node):
        raise MpippError(f"{node!r} is not the name of a node")
    before = [word.replace(_NODE, node) for word in shell]
    # ssh passes one line to the user's shell there, srun each word as it is.
    return [*before, *(command if _passes_words(before[0]) else [shlex.join(command)])]


def _passes_words(program: str) -> bool:
    return os.path.basename(program) in ("srun", "flux", "env")


def python(module: str, *arguments: str) -> list[str]:
    """The command of one of mpipp's modules, by this Python, which a node must have, too."""
    return ["env", f"PYTHONPATH={_PACKAGES}", sys.executable, "-m", module, *arguments]
