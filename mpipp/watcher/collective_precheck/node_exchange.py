# SPDX-License-Identifier: MIT
"""Exchange the calls of one collective operation between nodes, for `--strict`.

Each node's watcher writes the waiting calls of its processes into the run's directory. All watchers
read all files, and so get the same result.
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
from mpipp.watcher.ipc.protocol import CollectiveQuery
from mpipp.watcher.processes.collective_comparison import ReportedCalls
from mpipp.watcher.processes.process import WatchedProcess
from mpipp.watcher.processes.remote import RemoteProcess

_GIVEN_UP = "given-up"
_PROCESSES = "processes"  # the folder of the files of processes
_KEPT = 120.0  # seconds after which all watchers have read the files


class LocalCall(NamedTuple):
    """A call of a process of this node, with its call history for other nodes."""

    process: WatchedProcess
    call: CollectiveQuery
    history: Sequence[Side] = ()


class NodeExchange:
    """The folder with the calls of one operation. `name` is equal on all nodes."""

    def __init__(self, directory: str, name: str) -> None:
        self._run = RunDirectory(directory)
        self._name = f"{STRICT}/{name}"  # relative to the run's directory
        self._folder = os.path.join(directory, self._name)
        self._own = f"{launch.node()}-{os.getpid()}"
        self._since = time.monotonic()
        self._left: list[str] = []  # names of written files

    def leave(self, of: Iterable[LocalCall], told: ReportedCalls | None = None) -> None:
        """Write the calls of processes of this node. Raises MpippError.

        Args:
            told: the calls for which this node has already reported findings.
        """
        from mpipp.distributed.process_file import writer  # slow to import

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
        """The number of processes of other nodes with files in the folder."""
        return len(self._remote_files())

    def calls(self) -> list[CollectiveQuery]:
        """The queries of processes of other nodes."""
        return [call for _, call in self._remote_files()]

    def remote_calls(self) -> list[tuple[RemoteProcess, CollectiveQuery]]:
        """The processes of other nodes, with their calls. Raises MpippError for damaged files."""
        from mpipp.distributed.process_file import writer

        where = os.path.join(self._folder, _PROCESSES)
        return [
            (RemoteProcess(writer.read(os.path.join(where, os.path.basename(name)))), call)
            for name, call in self._remote_files()
        ]

    def add_reported(self, to: ReportedCalls) -> None:
        """Add the findings that other nodes have reported. Raises MpippError if a file
        is damaged."""
        for path, said in self._remote_messages():
            try:
                to.add_plain(said["told"])
            except (ValueError, TypeError):
                raise MpippError(f"{path} is damaged") from None

    def _remote_files(self) -> list[tuple[str, CollectiveQuery]]:
        found = []
        for path, said in self._remote_messages():
            try:
                for name, *numbers in said["calls"]:
                    if not isinstance(name, str) or not name.isprintable():
                        raise ValueError
                    found.append((name, CollectiveQuery(*map(int, numbers))))
            except (ValueError, TypeError, OverflowError):
                raise MpippError(f"{path} is damaged") from None
        return found

    def _remote_messages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        # The contents of the files from other nodes' watchers.
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
        """Cancel the comparison, so that other nodes do not wait."""
        with contextlib.suppress(MpippError):
            self._save(_GIVEN_UP, b"")

    @property
    def is_cancelled(self) -> bool:
        """Return whether any watcher has cancelled the comparison."""
        return os.path.exists(os.path.join(self._folder, _GIVEN_UP))

    @property
    def is_expired(self) -> bool:
        """Return whether all watchers must have read the files by now."""
        return time.monotonic() - self._since > _KEPT

    def forget(self) -> None:
        """Remove this node's files. The last node also removes the folder."""
        with contextlib.suppress(OSError):
            for name in (*self._left, f"{self._name}/{_PROCESSES}", self._name):
                self._run.remove(name)
