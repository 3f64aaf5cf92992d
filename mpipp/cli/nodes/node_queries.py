# SPDX-License-Identifier: MIT
"""Start an agent on each node, all at the same time, and collect the answers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any, NamedTuple

from mpipp.cli.nodes.job_nodes import Node
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import remote_shell

_AGENT = "mpipp.cli.nodes.agent"
_LONGEST = 60.0  # seconds that a node gets to answer


class Answer(NamedTuple):
    """The answer of a node. If the node did not answer, `failure` is a sentence with the reason."""

    node: str
    content: dict[str, Any]
    failure: str


def ask(what: str, nodes: Sequence[Node], shell: Sequence[str], *details: str) -> list[Answer]:
    """Return the answers of the agents on these nodes.

    Args:
        what: the agent's first argument.
        shell: the words of the remote shell.
        details: further arguments before the words that identify the job.

    Raises MpippError if the remote shell cannot be started.
    """
    running = [(node, _started([what, *details], node, shell)) for node in nodes]
    return [_answer(node, process, shell[0]) for node, process in running]


def _started(what: Sequence[str], node: Node, shell: Sequence[str]) -> subprocess.Popen[bytes]:
    command = remote_shell.python(_AGENT, *what, *node.words)
    words = remote_shell.on_node(shell, node.name, command)
    try:
        return subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        raise MpippError(f"cannot start {words[0]}: {error.strerror}") from None


def _answer(node: Node, process: subprocess.Popen[bytes], shell: str) -> Answer:
    try:
        output, errors = process.communicate(timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return Answer(node.name, {}, f"{node.name} has not answered in {_LONGEST:.0f} s")
    try:
        content = json.loads(output.decode("utf-8", "replace").splitlines()[-1])
        failure = str(content.get("failure", ""))
        return Answer(node.name, content, failure and f"{node.name}: {plain(failure, '')}")
    except (ValueError, IndexError, AttributeError):
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        said = f": {plain(lines[-1], '')}" if lines else ""
        status = process.returncode
        sentence = f"cannot run mpipp on {node.name} by {shell} (exit status {status}){said}"
        return Answer(node.name, {}, sentence)
