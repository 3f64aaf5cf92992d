# SPDX-License-Identifier: MIT
"""`--strict`: the calls of one collective operation whose processes are on several nodes.

Each node's watcher leaves in the run's directory what its own processes are about to do. All read
what all have left, and so come to the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.analysis.context.channel_history import Side
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import STRICT, RunDirectory, parsed, paths, read
from mpipp.watcher.ipc import launch
from mpipp.watcher.ipc.protocol import Disagreeing
from mpipp.watcher.processes.process import Watched
from mpipp.watcher.processes.remote import RemoteProcess
from mpipp.watcher.processes.strict_comparison import ReportedCalls

_GIVEN_UP = "given-up"
_PROCESSES = "processes"  # the folder of their files
_KEPT = 120.0  # seconds in which the watchers of all nodes have read it


class LocalCall(NamedTuple):
    """A call of a process of this node, with its history for other nodes."""

    process: Watched
    call: Disagreeing
    history: Sequence[Side] = ()


class Meeting:
    """Where they leave the calls of one operation; `name` is the same on all nodes."""

    def __init__(self, directory: str, name: str) -> None:
        self._run = RunDirectory(directory)
        self._name = f"{STRICT}/{name}"  # of the folder
        self._folder = os.path.join(directory, self._name)
        self._own = f"{launch.node()}-{os.getpid()}"
        self._since = time.monotonic()
        self._left: list[str] = []  # files

    def leave(self, of: Iterable[LocalCall], told: ReportedCalls | None = None) -> None:
        """What these processes of this node do. Raises MpippError.

        Args:
            told: what the node has told already.
        """
        from mpipp.distributed.process_file import writer  # it takes some time to load

        said: list[list[object]] = []
        for one, call, past in of:
            one.refresh()
            one.places.refresh()
            left = writer.written(one.process(0), one.places.frames, launch.node(), past=past)
            name = f"{_PROCESSES}/{self._own}-{call.pid}"
            self._save(name, left.process)
            said.append([os.path.basename(name), *call])
        content = {"calls": said, "told": told.plain() if told else []}
        self._save(f"{self._own}.json", json.dumps(content).encode())

    def _save(self, name: str, content: bytes) -> None:
        try:
            self._run.publish(f"{self._name}/{name}", content)
        except OSError as error:
            raise MpippError(f"cannot write {self._folder}: {error.strerror}") from None
        self._left.append(f"{self._name}/{name}")

    @property
    def count(self) -> int:
        """How many processes of other nodes are there."""
        return len(self._remote_files())

    def calls(self) -> list[Disagreeing]:
        """What processes of other nodes have asked."""
        return [call for _, call in self._remote_files()]

    def remote_calls(self) -> list[tuple[RemoteProcess, Disagreeing]]:
        """The processes of other nodes, with their calls. Raises MpippError for damaged files."""
        from mpipp.distributed.process_file import writer

        where = os.path.join(self._folder, _PROCESSES)
        return [
            (RemoteProcess(writer.read(os.path.join(where, os.path.basename(name)))), call)
            for name, call in self._remote_files()
        ]

    def add_reported(self, to: ReportedCalls) -> None:
        """Add what other nodes have reported. Raises MpippError for what makes no sense."""
        for path, said in self._remote_messages():
            try:
                to.add_plain(said["told"])
            except (ValueError, TypeError):
                raise MpippError(f"{path} is damaged") from None

    def _remote_files(self) -> list[tuple[str, Disagreeing]]:
        found = []
        for path, said in self._remote_messages():
            try:
                for name, *numbers in said["calls"]:
                    if not isinstance(name, str) or not name.isprintable():
                        raise ValueError
                    found.append((name, Disagreeing(*map(int, numbers))))
            except (ValueError, TypeError, OverflowError):
                raise MpippError(f"{path} is damaged") from None
        return found

    def _remote_messages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        # By the watchers of other nodes.
        for path in paths(self._folder):
            if not path.endswith(".json") or os.path.basename(path) == f"{self._own}.json":
                continue
            try:
                said = parsed(read(path))
                if said.keys() != {"calls", "told"}:
                    raise ValueError
            except (OSError, ValueError, AttributeError):
                raise MpippError(f"{path} is damaged") from None
            yield path, said

    def cancel(self) -> None:
        """Cancel the comparison: the others need not wait either."""
        with contextlib.suppress(MpippError):
            self._save(_GIVEN_UP, b"")

    @property
    def is_cancelled(self) -> bool:
        """Whether any watcher has cancelled it."""
        return os.path.exists(os.path.join(self._folder, _GIVEN_UP))

    @property
    def is_expired(self) -> bool:
        """Whether nobody reads it any more."""
        return time.monotonic() - self._since > _KEPT

    def forget(self) -> None:
        """Remove what was left; whoever is last also the folder."""
        with contextlib.suppress(OSError):
            for name in (*self._left, f"{self._name}/{_PROCESSES}", self._name):
                self._run.remove(name)
