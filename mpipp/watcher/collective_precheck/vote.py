# SPDX-License-Identifier: MIT
"""Decide whether all processes of an MPI_COMM_WORLD run with `--strict`.

The collective pre-check needs every process of a communicator: the others would wait forever for
one without --strict, or without a watcher. So each process asks its watcher in MPI_Init. If some
processes are on other nodes, the watchers exchange votes in the run's directory. The first watcher
that has reached a decision decides for all.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator, Sequence

from mpipp.analysis.deadlock import names
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import STRICT, RunDirectory, parsed, paths, read
from mpipp.model import ProcessInfo
from mpipp.watcher.ipc import launch
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.processes.collective_comparison import answer
from mpipp.watcher.processes.process import RUNNING, WatchedProcess

INTERVAL = 0.05  # seconds between two tests while a process waits
_HERE = 0.3  # seconds for all processes of one node to connect
_LATE = 10.0  # seconds for all processes to connect
_WHAT = "calls before they start (--strict)"


class _World:
    # The processes of one MPI_COMM_WORLD that have asked so far.
    def __init__(self, name: str, size: int, is_shared: bool) -> None:
        self.name, self.size = name, size
        self.is_shared = is_shared
        self.since = time.monotonic()
        self.ranks: dict[int, socket.socket] = {}
        self.infos: list[ProcessInfo] = []
        self.written: list[int] = []

    def is_of(self, info: ProcessInfo) -> bool:
        return info.world == self.name and info.world_rank not in self.ranks


class WaitingProcesses:
    """The processes that wait for an answer."""

    def __init__(self, directory: str) -> None:
        self._run = RunDirectory(directory)
        self._directory = os.path.join(directory, STRICT) if directory else ""
        self._waiting: list[_World] = []
        self._names: set[str] = set()

    def add(
        self, connection: socket.socket, asking: said.StrictQuery, watched: Sequence[WatchedProcess]
    ) -> None:
        """Add a process that asks. Raises MpippError if the process is unwatched, or its records
        are damaged."""
        one = next((w for w in watched if w.pid == asking.pid and w.state == RUNNING), None)
        if one is None:
            raise MpippError("an unwatched process sent a query")
        one.refresh()
        info = one.registry.info
        world = next((world for world in self._waiting if world.is_of(info)), None)
        if world is None:
            # Another world with the same name was spawned, presumably on this node alone.
            name = info.world
            is_shared = bool(self._directory) and name not in self._names
            world = _World(name, info.world_size or 0, is_shared)
            self._names.add(name)
            self._waiting.append(world)
        world.ranks[info.world_rank or 0] = connection
        world.infos.append(info)

    @property
    def are_waiting(self) -> bool:
        """Return whether any process waits for an answer."""
        return bool(self._waiting)

    def decide(self, watched: Sequence[WatchedProcess]) -> Iterator[str]:
        """Answer the processes of each world whose decision is made. Yield a sentence for each
        world that does not use --strict."""
        for world in list(self._waiting):
            found = self._decided(world, watched)
            if found is None:
                continue
            self._waiting.remove(world)
            for connection in world.ranks.values():
                answer(connection, not found)
            if found:
                yield found

    def _decided(self, world: _World, watched: Sequence[WatchedProcess]) -> str | None:
        # The decision: None if not yet, "" for --strict, else the reason against it.
        if len(world.ranks) == world.size:
            return ""
        waited = time.monotonic() - world.since
        others = [info for info in _without(watched) if world.is_of(info)]
        reason = ""
        if others:
            verb = "was" if len(others) == 1 else "were"
            reason = f"{_WHAT}: {names.processes(others)} {verb} started without it"
        elif waited > _LATE:
            reason = _missing(world)
        if not world.is_shared or (waited < _HERE and not reason):
            return reason or None
        try:
            return self._of_all_nodes(world, reason)
        except (OSError, ValueError):  # no watcher of the other nodes can read the votes, either
            return reason or None

    def _of_all_nodes(self, world: _World, reason: str) -> str | None:
        ranks = sorted(world.ranks)
        if ranks != world.written:
            name = f"{STRICT}/{world.name}-node-{launch.node()}-{os.getpid()}"
            self._run.publish(name, json.dumps(ranks).encode())
            world.written = ranks
        decision = os.path.join(self._directory, f"{world.name}-decision")
        if not os.path.exists(decision):
            all_there = self._is_complete(world)
            if not reason and not all_there:
                return None
            self._decide_first(decision, "" if all_there else reason)
        return str(parsed(read(decision)))

    def _is_complete(self, world: _World) -> bool:
        found: set[int] = set()
        for path in paths(self._directory):
            if path.startswith(os.path.join(self._directory, f"{world.name}-node-")):
                found.update(parsed(read(path)))
        return len(found) == world.size

    def _decide_first(self, decision: str, reason: str) -> None:
        # A link is atomic: only the first decision counts, and readers see it complete.
        own = f"{STRICT}/decision-{launch.node()}-{os.getpid()}"
        self._run.publish(own, json.dumps(reason).encode())
        self._run.link(own, os.path.basename(decision))


def _without(watched: Sequence[WatchedProcess]) -> Iterator[ProcessInfo]:
    # The processes without --strict that have initialized MPI: they will never ask.
    for one in watched:
        if one.strict:
            continue
        with contextlib.suppress(MpippError):
            one.refresh()
            if one.initialized:
                yield one.registry.info


def _missing(world: _World) -> str:
    told = names.processes(world.infos)
    elsewhere = "" if world.is_shared else "; on several nodes they need --report DIR"
    verb = "was" if len(world.infos) == 1 else "were"
    return f"{_WHAT}: of {world.size} processes only {told} {verb} started with it{elsewhere}"
