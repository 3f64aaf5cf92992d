# SPDX-License-Identifier: MIT
"""The files that a node's watcher writes into the run's directory, to compare nodes."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.analysis.deadlock import names
from mpipp.analysis.rma.check import MissingLogs
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import (
    LOGS,
    NODES,
    PROCESSES,
    RunDirectory,
    parsed,
    paths,
    read,
)
from mpipp.common.text import wording
from mpipp.model import ProcessInfo
from mpipp.reports.suppressions import Suppression
from mpipp.watcher.ipc import launch
from mpipp.watcher.output import finding_blocks
from mpipp.watcher.output.finding_blocks import Block
from mpipp.watcher.output.totals import Total, covered, provoked
from mpipp.watcher.processes.process import WatchedProcess
from mpipp.watcher.processes.remote import count_remote, has_remote

FORMAT, VERSION = "node", 5


class ProcessFiles:
    """The files of ended processes for other nodes. Without a directory, none are written."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._left: set[int] = set()  # process ids
        self._failed: set[int] = set()  # processes whose files could not all be written
        self._node = launch.node()

    def logged_processes(
        self, of: Sequence[WatchedProcess], known: Sequence[WatchedProcess]
    ) -> list[int]:
        """The indices of processes whose RMA logs other nodes will get, or have got.

        Args:
            known: all processes of this node.
        """
        if not self._directory:
            return []
        others = (n for n, one in enumerate(of) if has_remote(one.registry.info, known))
        return [number for number in others if of[number].pid not in self._failed]

    def has_reported(self, error: MpippError) -> bool:
        """Return whether `leave` has already reported that logs for other nodes are missing."""
        return isinstance(error, MissingLogs) and bool(self._failed)

    def leave(
        self, ended: Sequence[WatchedProcess], known: Sequence[WatchedProcess]
    ) -> Iterator[str]:
        """Write the files of processes that have others of their world on other nodes.

        Yields a sentence for files that could not be written.

        Args:
            known: all processes of this node.
        """
        failed: dict[str, list[ProcessInfo]] = {}  # by reason
        for one in known:
            # The process's records were last read during MPI_Init.
            if one.registry.info.world_rank is None:
                with contextlib.suppress(MpippError):
                    one.refresh()
        for one in ended:
            info = one.registry.info
            shared = bool(self._directory) and has_remote(info, known)
            if one.pid in self._left or not shared:
                continue
            self._left.add(one.pid)
            reason = self._write(one)
            if reason:
                self._failed.add(one.pid)
                failed.setdefault(reason, []).append(one.registry.info)
        for reason, infos in failed.items():
            yield (
                f"{names.processes(infos)} could not write the data to compare with other nodes to "
                f"{self._directory} ({reason})"
            )

    def not_compared(self, known: Sequence[WatchedProcess]) -> Iterator[str]:
        """A sentence for each world with processes on other nodes, in runs without a directory."""
        infos = (one.registry.info for one in known)
        worlds = {info.world: info for info in infos}
        for info in worlds.values() if not self._directory else ():
            if count := count_remote(info, known):
                others = wording.counted(count, "process", "processes")
                yield (
                    f"messages and collective calls with {others} unknown to this watcher: start "
                    "all processes with --check and --report DIR, and share DIR between the nodes"
                )

    def _write(self, one: WatchedProcess) -> str:
        # This import is slow.
        from mpipp.distributed.process_file import writer

        name = f"{one.registry.info.world_rank}-{self._node}-{one.pid}"
        try:
            left = writer.written(one.process(0), one.places.frames, self._node, logged=True)
            directory = RunDirectory(self._directory)
            directory.publish(f"{PROCESSES}/{name}", left.process)
            if left.log:
                directory.publish(f"{LOGS}/{name}", left.log)
        except MpippError as error:
            return str(error)
        except OSError as error:
            return str(error.strerror)
        return ""


class Node(NamedTuple):
    """The results of one node's watcher."""

    name: str
    ended: bool
    total: Total
    blocks: list[Block]  # all blocks, printed or not
    checks: Sequence[str] = ()  # the names of the selected checks; empty for all
    suppressions: Sequence[Suppression] = ()  # from the node's file of suppressions


def save(directory: str, node: Node) -> None:
    """Write a node's results into the run's directory. Raises OSError."""
    known = {**node._asdict(), "total": node.total._asdict()}
    content = {"mpipp": FORMAT, "version": VERSION, **known}
    name = f"{NODES}/{node.name}-{os.getpid()}.json"
    RunDirectory(directory).publish(name, json.dumps(content).encode())


def nodes(directory: str) -> tuple[list[Node], list[str]]:
    """The nodes that wrote into a directory, and a sentence for each damaged file.

    Raises MpippError if the directory cannot be read.
    """
    found, failed = [], []
    for path in paths(os.path.join(directory, NODES)):
        try:
            found.append(_read(path))
        except OSError as error:
            failed.append(f"cannot read {path}: {error.strerror}")
        except (ValueError, KeyError, TypeError, AttributeError):
            failed.append(f"{path} is damaged, or was written by another version of mpipp")
    return found, failed


def _read(path: str) -> Node:
    said = parsed(read(path))
    if (said.pop("mpipp"), said.pop("version")) != (FORMAT, VERSION):
        raise ValueError
    total = _total(said.pop("total"))
    told = [finding_blocks.read(one) for one in said.pop("blocks")]
    known = [Suppression(*map(str, one)) for one in said.pop("suppressions")]
    name, ended, checks = said["name"], said["ended"], list(said["checks"])
    if not (type(name) is str and type(ended) is bool and {*map(type, checks)} <= {str}):
        raise TypeError
    return Node(name, ended, total, told, checks, known)


def _total(said: dict[str, Any]) -> Total:
    unchecked, failures, found = (
        tuple(map(str, said.pop(name))) for name in ("unchecked", "failures", "found")
    )
    ending = str(said.pop("ending"))
    suppressed = tuple((str(reason), number) for reason, number in said.pop("suppressed"))
    rows = covered(said.pop("covered"))
    done = provoked(said.pop("provoked"))
    flags = {name: said.pop(name) for name in ("in_valgrind", "no_loads")}
    if not all(type(flag) is bool for flag in flags.values()):
        raise TypeError
    numbers = [*said.values(), *(n for _, n in suppressed), *(n for row in rows for n in row[2:])]
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise TypeError
    return Total(
        **said,
        unchecked=unchecked,
        failures=failures,
        ending=ending,
        found=found,
        suppressed=suppressed,
        covered=rows,
        provoked=done,
        **flags,
    )
