# SPDX-License-Identifier: MIT
"""The processes of other nodes, from the files of their watchers in the run's directory.

When nothing moves on a node, its watcher writes the state of each process, and every half second a
counter, the beat. A watcher tests its own node, and then reads two beats of each other node. It
then knows that all processes stood still at one time. This test needs no common clock.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mpipp.analysis.context.process import Process
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import PROCESSES, WAITING, RunDirectory, parsed, paths, read
from mpipp.model import ProcessInfo, Site
from mpipp.symbolizer.source_frames import Frame
from mpipp.watcher.ipc import launch, run_flags
from mpipp.watcher.processes.process import WatchedProcess

if TYPE_CHECKING:
    from mpipp.distributed.process_file.reader import Written

_BEATS = 2


class RemoteProcess:
    """A process on another node, with the members of `WatchedProcess` that findings use."""

    def __init__(self, found: Written) -> None:
        self.registry = found
        self.places = self
        self.spawned = 0  # spawned jobs of other nodes are not read

    def process(self, number: int) -> Process:
        """The process in the form that the checks expect."""
        return Process(number, self.registry, self.registry, None)

    def site(self, where: Site) -> list[str]:
        """The source lines of a place."""
        return [frame.text for frame in self.frames(where)]

    def frames(self, where: Site) -> list[Frame]:
        """The frames of a call site."""
        return self.registry.frames(where)


def count_remote(info: ProcessInfo, known: Sequence[WatchedProcess]) -> int:
    """The number of processes of a process's MPI_COMM_WORLD that are on other nodes."""
    of_all = [other.registry.info for other in known]
    alike = [o for o in of_all if o.world == info.world]
    return max(0, (info.world_size or 0) - len({other.world_rank for other in alike}))


def has_remote(info: ProcessInfo, known: Sequence[WatchedProcess]) -> bool:
    """Return whether any process of its MPI_COMM_WORLD is on another node."""
    return count_remote(info, known) > 0


class Nodes:
    """The messages between this node and others about processes that do not move.

    Without a directory no messages are exchanged.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._run = RunDirectory(directory)
        self._waiting = os.path.join(directory, WAITING)
        self._own = f"{launch.node()}-{os.getpid()}"
        self._movement = self._beat = 0
        self._written: list[str] = []
        # For each node: its movement, and its beat when that movement was first read.
        self._seen: dict[str, tuple[int, int]] = {}
        self._told: object = None

    def moves(self) -> None:
        """Note that a process of this node has moved."""
        for name in self._written:
            with contextlib.suppress(OSError):
                self._run.remove(f"{WAITING}/{name}")
        if self._written:
            self._movement += 1
        self._written = []
        self._seen = {}

    def stands(self, own: Sequence[WatchedProcess]) -> list[RemoteProcess]:
        """Note that nothing has moved for long on this node, and notify the other nodes.

        If no process of a world moves on any node, return the processes of other nodes, but only
        once.

        Args:
            own: the processes of this node, some of which have ended.

        Raises OSError, and MpippError if a file is damaged.
        """
        if not self._directory or not own or not has_remote(own[0].registry.info, own):
            return []
        from mpipp.distributed.process_file import writer

        self._say(own)
        if not any(one.registry.info.world_rank == 0 for one in own):
            return []  # only the watcher of rank 0 reports
        said = {one["node"]: one for one in self._remote_messages()}
        for name, one in said.items():
            if self._seen.get(name, (None, 0))[0] != one["movement"]:
                self._seen[name] = one["movement"], one["beat"]
        if not said or any(said[n]["beat"] < self._seen[n][1] + _BEATS for n in said):
            return []
        movements = sorted((name, one["movement"]) for name, one in said.items())
        if self._told == movements:
            return []
        files_of = {rank: path for one in said.values() for rank, path in one["files"]}
        ranks = {one.registry.info.world_rank for one in own}
        for info, path in ended_process_files(self._directory):
            files_of.setdefault(info.world_rank or 0, path)
        if len(ranks | set(files_of)) < (own[0].registry.info.world_size or 0):
            return []
        others = (path for rank, path in files_of.items() if rank not in ranks)
        found = [RemoteProcess(writer.read(path)) for path in others]
        if {name: one["movement"] for name, one in said.items()} != {
            one["node"]: one["movement"] for one in self._remote_messages()
        }:
            return []
        self._told = movements
        return found

    def _say(self, own: Sequence[WatchedProcess]) -> None:
        from mpipp.distributed.process_file import writer

        named = []
        for one in own:
            rank = one.registry.info.world_rank or 0
            name = f"{rank}-{self._own}-{self._movement}"
            named.append((rank, name))
            if name not in self._written:
                left = writer.written(one.process(0), one.places.frames, launch.node())
                self._run.publish(f"{WAITING}/{name}", left.process)
                self._written.append(name)
        self._beat += 1
        said = {"node": self._own, "movement": self._movement, "beat": self._beat, "files": named}
        name = f"{self._own}.json"
        self._run.publish(f"{WAITING}/{name}", json.dumps(said).encode())
        if name not in self._written:
            self._written.append(name)

    def _remote_messages(self) -> Iterator[dict[str, Any]]:
        for path in paths(self._waiting):
            if path.endswith(".json") and os.path.basename(path) != f"{self._own}.json":
                try:
                    said = parsed(read(path))
                    left = [(int(rank), self._path(name)) for rank, name in said["files"]]
                    if isinstance(said["movement"], int) and isinstance(said["beat"], int):
                        yield {**said, "node": str(said["node"]), "files": left}
                except FileNotFoundError:
                    continue  # the files of that node have moved
                except (ValueError, KeyError, TypeError):
                    raise MpippError(f"{path} is damaged") from None

    def _path(self, name: str) -> str:
        return os.path.join(self._waiting, os.path.basename(name))

    @property
    def are_interrupted(self) -> bool:
        """Return whether the user has ended the program."""
        return run_flags.is_set(self._directory, run_flags.INTERRUPTED)


def ended_process_files(directory: str) -> Iterator[tuple[ProcessInfo, str]]:
    """The files of processes that have ended. Raises MpippError if a file is damaged."""
    from mpipp.distributed.process_file import writer  # slow to import

    for path in paths(os.path.join(directory, PROCESSES)):
        yield writer.head(path).info, path
