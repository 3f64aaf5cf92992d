# SPDX-License-Identifier: MIT
"""The agent of `mpipp debug` on another node: holds the ranks there, and passes on their output and
input.

    python -m mpipp.cli.commands.debug.node_agent SOCKET STDIN-RANK

`mpipp debug` starts the agent through the remote shell. Each message is a line with a JSON object.
The agent writes `ready` with the path of gdbserver, `held` and `output`. The agent carries out
`release`, `input`, `end_input`, `detach`, and `finish`, which says that the launcher has ended.
When its input ends, the agent ends the ranks, unless the debugger has detached.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from mpipp.cli.commands.debug import json_lines
from mpipp.cli.commands.debug.held_ranks import HeldRank
from mpipp.cli.commands.debug.local_ranks import LocalRanks
from mpipp.watcher.ipc import launch

_STEP = 0.1  # seconds between searches for unfinished lines
_MOST = 1 << 16
_ANY = -1  # any process may attach: gdbserver starts later, so its process ID is not known yet
_INPUT = 0


class NodeAgent:
    """The agent of one node."""

    def __init__(self, path: str, stdin_rank: int) -> None:
        self._selector = selectors.DefaultSelector()
        self._messages = json_lines.Messages()
        self._is_over = self._is_detached = self._is_finishing = False
        os.close(launch.private(os.path.dirname(path)))
        self._ranks = LocalRanks(path, stdin_rank, self._selector, _held, _show)
        self._ranks.debugger = _ANY
        self._selector.register(_INPUT, selectors.EVENT_READ, self._hear)
        _send(ready=shutil.which("gdbserver") or "")

    def run(self) -> None:
        """Pass messages until the debugger or the job ends."""
        while not self._is_over and not (self._is_finishing and not self._ranks.has_output):
            for key, _ in self._selector.select(_STEP):
                # An earlier function may have closed the file.
                if key.fd in self._selector.get_map():
                    key.data()
            self._ranks.show_rests()

    def end(self) -> None:
        """End the ranks, unless the debugger has detached."""
        if not self._is_detached:
            self._ranks.kill()

    def _hear(self) -> None:
        data = os.read(_INPUT, _MOST)
        if not data:
            self._is_over = True
        for message in self._messages.complete(data):
            self._obey(message)

    def _obey(self, message: Mapping[str, Any]) -> None:
        word, value = next(iter(message.items()))
        if word == "release":
            self._ranks.release()
        elif word == "input":
            self._ranks.pass_input(str(value))
        elif word == "end_input":
            self._ranks.end_input()
        elif word == "detach":
            self._is_detached = True
        elif word == "finish":
            self._is_finishing = True


def _held(rank: HeldRank) -> None:
    _send(held=[rank.pid, rank.rank, rank.size])


def _show(lines: Sequence[str]) -> None:
    if lines:
        _send(output=list(lines))


def _send(**message: object) -> None:
    data = json_lines.line(message)
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(sys.stdout.fileno(), data) :]


def main(path: str, stdin_rank: str) -> None:
    """Run the agent."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    agent = NodeAgent(path, int(stdin_rank))
    try:
        agent.run()
    finally:
        agent.end()
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
