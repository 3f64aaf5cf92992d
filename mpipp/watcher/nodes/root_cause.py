# SPDX-License-Identifier: MIT
"""Which of the processes that have died on several nodes is the cause of it.

Who is seen to have died first is not: MPI ends a program from inside of a call, and the launcher
may end others before that process is gone. So each node says how doubtful it is that the cause is
among its own (abnormal_exit.py), before it tells of any.
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
from mpipp.watcher.processes.process import Watched
from mpipp.watcher.processes.remote import RemoteProcess, ended_process_files, has_remote

CLEANED_UP = 5.0  # seconds in which a launcher has ended the others of one that has died
_ENDED = "ended"  # the file that says which node has seen one end first, and whether it died
_DIED = "died-"  # begins the names of those that say how doubtful it is

FIRST, TOO, AFTER = "first", "too", "after"


class NodeVerdict(NamedTuple):
    """What a node knows of the cause among its processes."""

    ranks: Collection[int]  # all of it
    doubt: int | None  # the least; None: none of them is the cause
    is_first: bool

    def is_before(self, other: NodeVerdict, names: tuple[str, str]) -> bool:
        """Whether this is rather the cause than the other; `names` of the nodes."""
        if self.doubt is None or other.doubt is None:
            return self.doubt is not None
        one = self.doubt, not self.is_first, names[0]
        return one < (other.doubt, not other.is_first, names[1])


class Deaths:
    """What the watchers of nodes say of deaths; nothing without a directory."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._run = RunDirectory(directory)
        self._waiting = os.path.join(directory, WAITING)
        self._own = f"{launch.node()}-{os.getpid()}"
        self._said: NodeVerdict | None = None
        self.is_first = True

    def order(self, one: Watched, own: Sequence[Watched]) -> str:
        """FIRST; where one has ended just before on another node, TOO if both have died, which
        may have either cause; else AFTER: the launcher ends the others then."""
        found = self._order(one) if self._is_shared(own, one) else FIRST
        self.is_first = found == FIRST
        return found

    def _is_shared(self, own: Sequence[Watched], one: Watched | None = None) -> bool:
        if not self._directory or not own:
            return False
        return has_remote((one or own[0]).registry.info, own)

    def _order(self, one: Watched) -> str:
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

    def say(self, own: Sequence[Watched], doubt: int | None) -> None:
        """How doubtful it is that one of these is the cause; None: none is."""
        ranks = [one.registry.info.world_rank or 0 for one in own]
        said = NodeVerdict(ranks, doubt, self.is_first)
        if self._is_shared(own) and said != self._said:
            self._said = said
            with contextlib.suppress(OSError):
                name = f"{WAITING}/{_DIED}{self._own}"
                self._run.publish(name, json.dumps(said).encode())

    def ended_elsewhere(self, own: Sequence[Watched], until: float) -> list[RemoteProcess] | None:
        """The processes of other nodes that the launcher ends with one of this node; None: not yet
        known."""
        if not self._is_shared(own):
            return []
        try:
            from mpipp.distributed.process_file import writer  # it takes some time to load

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
        """Whether it is rather on this node than on others, by what all have said."""
        said = self._said
        return said is None or not any(
            other.is_before(said, (name, self._own)) for name, other in self._remote_verdicts()
        )

    def _remote_verdicts(self) -> Iterator[tuple[str, NodeVerdict]]:
        # What others have said of the same end.
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
