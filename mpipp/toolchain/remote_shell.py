# SPDX-License-Identifier: MIT
"""Commands that run on another node through ssh, or through srun in a Slurm job."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from mpipp.common.errors import MpippError

_PACKAGES = str(Path(__file__).resolve().parents[2])
NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,252}")  # the name of a node
# The options of a gdbserver. Without --once it would open its closed input again and again.
GDBSERVER = ("--once", "--multi", "-")
_NODE = "{}"  # placeholder for the node's name in the user's command


def words(chosen: str | None, slurm_job: str = "") -> list[str]:
    """Return the words that start a command on a node. In them, "{}" stands for the name of the
    node.

    Args:
        chosen: the user's choice, with or without "{}". None chooses srun in a Slurm job, else ssh.
        slurm_job: the number of a Slurm job to which the nodes belong; "" for the job in which this
            process runs.

    Raises MpippError.
    """
    if chosen is None:
        job = slurm_job or os.environ.get("SLURM_JOB_ID", "")
        if job:
            # Otherwise Slurm holds back output without a newline, such as that of a gdbserver.
            alone = ["--overlap", "--quiet", "--unbuffered", "--nodes=1", "--ntasks=1"]
            return ["srun", f"--jobid={job}", *alone, "--mpi=none", f"--nodelist={_NODE}"]
        return ["ssh", "-x", "-o", "BatchMode=yes", _NODE]
    try:
        found = shlex.split(chosen)
    except ValueError as error:
        raise MpippError(f"--remote-shell {chosen}: {error}") from None
    if not found:
        raise MpippError("--remote-shell is empty: leave it out, or name a command as ssh")
    return found if any(_NODE in word for word in found) else [*found, _NODE]


def on_node(shell: Sequence[str], node: str, command: Sequence[str]) -> list[str]:
    """Return the words that run a command on a node.

    Args:
        shell: the result of `words`.

    Raises MpippError if `node` cannot be the name of a node.
    """
    if not NAME.fullmatch(node):
        raise MpippError(f"{node!r} is not the name of a node")
    before = [word.replace(_NODE, node) for word in shell]
    # ssh passes a single line to the user's shell on the node. srun passes each word unchanged.
    return [*before, *(command if _passes_words(before[0]) else [shlex.join(command)])]


def without_gdbserver(node: str) -> str:
    """The sentence about a node that has no gdbserver."""
    return (
        f"gdb reaches the ranks on {node} by gdbserver, which is not on PATH there: install it on "
        "all nodes (Debian: gdbserver)"
    )


def _passes_words(program: str) -> bool:
    return os.path.basename(program) in ("srun", "flux", "env")


def python(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of mpipp on a node, where this Python has the same
    path."""
    return ["env", f"PYTHONPATH={_PACKAGES}", sys.executable, "-m", module, *arguments]
