# SPDX-License-Identifier: MIT
"""The error output of a job on several nodes, with the messages of nodes that share no directory
with `mpipp run`."""

from __future__ import annotations

import base64
import contextlib
import os
import re
import select
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from mpipp.common.run_directory import LOGS, PROCESSES, TOKEN, RunDirectory
from mpipp.common.text import wording
from mpipp.watcher.ipc.stderr_messages import CONTENT, FILE, Receiver
from mpipp.watcher.output.finding_blocks import Block, counted
from mpipp.watcher.output.totals import NOTHING, SO_FAR, Total

_READ = 1 << 16
_ERRORS = 2  # the descriptor of the error output
_FILE_NAME = re.compile(rf"({PROCESSES}|{LOGS})/[0-9]+-[\w.-]+")
_ONLY_AT_THE_END = (
    "deadlocks across nodes, and which process died first: {} {} not share the run's directory, so "
    "mpipp compared nodes only at the end"
)


class JobOutput:
    """A pipe for the job's error output. Everything except messages goes to this process's own.

    Attributes:
        token: the random word that all messages have.
        written: the end of the pipe for the launcher.
        names: the nodes whose watchers have sent messages.
        has_ended: whether the launcher has closed its end of the pipe.

    Raises OSError if the run's directory cannot be written.
    """

    def __init__(self, shared: str) -> None:
        self.token = os.urandom(16).hex()
        self.has_ended = False
        self._directory = RunDirectory(shared)
        self._directory.publish(TOKEN, self.token.encode())
        self._receiver = Receiver(self.token)
        self.names: set[str] = set()
        self._unended: dict[str, list[Block]] = {}  # findings of nodes that have sent no total
        self._totals_so_far: dict[str, Total] = {}  # of nodes whose processes exit
        self._deaths: dict[str, list[str]] = defaultdict(list)
        self._failures: list[str] = []
        self._read, self.written = os.pipe()

    def fileno(self) -> int:
        """Return the end of the pipe from which this process reads."""
        return self._read

    def started(self) -> None:
        """Note that the launcher has its end of the pipe."""
        os.close(self.written)

    def messages(self) -> Iterator[dict[str, Any]]:
        """Copy the output that is there, and yield the messages for the session in it."""
        data = os.read(self._read, _READ)
        self.has_ended = not data
        return self._received(data, self.has_ended)

    def rest(self) -> Iterator[dict[str, Any]]:
        """Do the same with all the output of a launcher that has ended."""
        while not self.has_ended and select.select([self._read], [], [], 0)[0]:
            yield from self.messages()
        yield from self._received(b"", is_end=True)

    def total(self) -> Total:
        """Count the findings of watchers that sent no total, and name the facts that nodes without
        the run's directory could not check."""
        if not self.names:
            return NOTHING
        killed = self._unended.keys() & self._totals_so_far.keys()
        verb = "does" if len(self.names) == 1 else "do"
        unchecked = _ONLY_AT_THE_END.format(wording.listed(sorted(self.names)), verb)
        for node in self._unended.keys() - killed:
            ended = f"the watcher of node {node} has not reported its end"
            self._failures.append("; before, ".join([ended, *self._deaths.get(node, ())]))
        if self._receiver.damaged:
            self._failures.append("messages of other nodes were damaged in the job's error output")
        unended = (of for node, of in self._unended.items() if node not in killed)
        total = counted([block for of in unended for block in of])
        total = total._replace(unchecked=(unchecked,), failures=tuple(self._failures))
        for node in killed:
            total = total.plus(self._totals_so_far[node])
        return total

    def _received(self, data: bytes, is_end: bool = False) -> Iterator[dict[str, Any]]:
        output, messages = self._receiver.feed(data, is_end)
        with contextlib.suppress(OSError):  # no process reads the output any more
            while output:
                output = output[os.write(_ERRORS, output) :]
        for node, message in messages:
            if "begins" in message:
                self.names.add(message["begins"])
                self._unended[node] = []
            elif "dies" in message:
                self._deaths[node].append(message["dies"])
            elif FILE in message:
                self._publish(message[FILE], base64.b64decode(message[CONTENT]))
            else:
                self._note(node, message)
                yield message

    def _note(self, node: str, message: dict[str, Any]) -> None:
        if "total" in message or "failed" in message:
            self._unended.pop(node, None)
        elif SO_FAR in message:
            self._totals_so_far[node] = Total._make(message[SO_FAR])
        elif "block" in message and node in self._unended:
            self._unended[node].append(Block(message["block"], message["findings"]))

    def _publish(self, name: str, content: bytes) -> None:
        if _FILE_NAME.fullmatch(name):
            try:
                self._directory.publish(name, content)
            except OSError as error:
                self._failures.append(f"cannot write {self._directory.path}: {error.strerror}")
