# SPDX-License-Identifier: MIT
"""Find the cause among processes that died on several nodes.

The first death that a watcher notices is not always the cause. MPI ends a program from inside a
call, and the launcher may kill others before that process is gone. So each node publishes a verdict
before it reports a death. The verdict is a number, the doubt (abnormal_exit.py): the larger it is,
the less likely a process of this node is the cause.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.common.run_directory import WAITING, RunDirectory, parsed, paths, read
from mpipp.watcher.ipc import launch
from mpipp.watcher.processes.process import WatchedProcess
from mpipp.watcher.processes.remote import RemoteProcess, ended_process_files, has_remote

CLEANED_UP = 5.0  # seconds for a launcher to kill the remaining processes after a death
# Name of the file that says which node noticed the first end, and whether that process died.
_ENDED = "ended"
_DIED = "died-"  # start of the names of verdict files

FIRST, TOO, AFTER = "first", "too", "after"


class NodeVerdict(NamedTuple):
    """The verdict of one node on the cause among its processes."""

    ranks: Collection[int]  # the ranks of all processes of the node
    doubt: int | None  # of the node's likeliest cause; None if no process of the node can be it
    is_first: bool

    def is_before(self, other: NodeVerdict, names: tuple[str, str]) -> bool:
        """Return whether the cause is likelier on this node; `names` has the names of both nodes,
        this one first."""
        if self.doubt is None or other.doubt is None:
            return self.doubt is not None
        one = self.doubt, not self.is_first, names[0]
        return one < (other.doubt, not other.is_first, names[1])


class Deaths:
    """The deaths that the watchers of all nodes publish. Without a directory nothing is published
    or read."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._run = RunDirectory(directory)
        self._waiting = os.path.join(directory, WAITING)
        self._own = f"{launch.node()}-{os.getpid()}"
        self._said: NodeVerdict | None = None
        self.is_first = True

    def order(self, one: WatchedProcess, own: Sequence[WatchedProcess]) -> str:
        """The order of a death among those of all nodes: FIRST, TOO or AFTER.

        TOO: a process on another node has just died, and both may be the cause. AFTER: a process on
        another node has just ended, and the launcher kills the others.
        """
        found = self._order(one) if self._is_shared(own, one) else FIRST
        self.is_first = found == FIRST
        return found

    def _is_shared(self, own: Sequence[WatchedProcess], one: WatchedProcess | None = None) -> bool:
        if not self._directory or not own:
            return False
        return has_remote((one or own[0]).registry.info, own)

    def _order(self, one: WatchedProcess) -> str:
        path, name = os.path.join(self._waiting, _ENDED), f".{self._own}-ended"
        mine = os.path.join(self._waiting, name)
        said = f"{self._own} {'ended' if one.end else 'died'}"
        try:
            self._run.publish(f"{WAITING}/{name}", said.encode())
            for _ in range(2):
                if self._run.link(f"{WAITING}/{name}", _ENDED):
                    return FIRST
                first, _, how = read(path).decode().partition(" ")
                if first == self._own:
                    return FIRST
                if os.stat(mine).st_mtime - os.stat(path).st_mtime < CLEANED_UP:
                    return TOO if how == "died" and not one.end else AFTER
                self._run.remove(f"{WAITING}/{_ENDED}")
        except (OSError, ValueError):
            return FIRST
        return FIRST

    def say(self, own: Sequence[WatchedProcess], doubt: int | None) -> None:
        """Publish the doubt for the processes `own`; None if no process of `own` can be the
        cause."""
        ranks = [one.registry.info.world_rank or 0 for one in own]
        said = NodeVerdict(ranks, doubt, self.is_first)
        if self._is_shared(own) and said != self._said:
            self._said = said
            with contextlib.suppress(OSError):
                name = f"{WAITING}/{_DIED}{self._own}"
                self._run.publish(name, json.dumps(said).encode())

    def ended_on_other_nodes(
        self, own: Sequence[WatchedProcess], until: float
    ) -> list[RemoteProcess] | None:
        """The processes of other nodes that the launcher ends together with those of this node.

        Returns None until all are known, or until the time `until`.
        """
        if not self._is_shared(own):
            return []
        try:
            from mpipp.distributed.process_file import writer  # slow to import

            ranks = {one.registry.info.world_rank for one in own}
            found = {
                info.world_rank or 0: (info, path)
                for info, path in ended_process_files(self._directory)
            }
            paths = {rank: path for rank, (_, path) in found.items() if rank not in ranks}
            died = {rank for rank in paths if found[rank][0].status != "finalized"}
            heard = {rank for _, said in self._remote_verdicts() for rank in said.ranks}
            all_there = len(paths) + len(ranks) >= (own[0].registry.info.world_size or 0)
            if not (all_there and died <= heard) and time.monotonic() < until:
                return None
            return [RemoteProcess(writer.read(path)) for _, path in sorted(paths.items())]
        except (MpippError, OSError):
            return []

    def are_the_cause(self) -> bool:
        """Return whether the cause is on this node rather than on others, by the published
        verdicts."""
        said = self._said
        return said is None or not any(
            other.is_before(said, (name, self._own)) for name, other in self._remote_verdicts()
        )

    def _remote_verdicts(self) -> Iterator[tuple[str, NodeVerdict]]:
        # The verdicts of other nodes whose processes died together with those of this node.
        own = os.path.join(self._waiting, _DIED + self._own)
        now = os.stat(own).st_mtime if os.path.exists(own) else time.time()
        for path in paths(self._waiting):
            name = os.path.basename(path)
            if not name.startswith(_DIED) or path == own:
                continue
            with contextlib.suppress(OSError, ValueError, TypeError):
                if abs(now - os.stat(path).st_mtime) < CLEANED_UP:
                    ranks, doubt, is_first = parsed(read(path))
                    numbers = [*ranks, 0 if doubt is None else doubt]
                    if all(isinstance(number, int) for number in numbers):
                        yield name.removeprefix(_DIED), NodeVerdict(ranks, doubt, bool(is_first))
