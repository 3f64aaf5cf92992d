# SPDX-License-Identifier: MIT
"""The records of a job's processes on this node, and whether the processes move.

A process moves if one of its threads makes an MPI call. Records that were read while a process
moved may belong to two different states, which could look like a deadlock.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mpipp.analysis.context import process
from mpipp.cli.stacks.process_stacks import RunningProcess
from mpipp.common.errors import MpippError
from mpipp.distributed.process_file import writer
from mpipp.distributed.process_file.reader import Written
from mpipp.toolchain.running_jobs import Process
from mpipp.watcher.ipc import launch
from mpipp.watcher.processes.remote import RemoteProcess

_NOT_RECORDED = "its MPI calls are not recorded: start the job with mpipp run"


class StoredProcess(RemoteProcess):
    """A process of another node, from the answer of an agent.

    Attributes:
        pid: its process id on that node.
    """

    def __init__(self, found: Written, pid: int, outside: str, may_call: bool) -> None:
        super().__init__(found)
        self.pid = pid
        self._outside, self._may_call = outside, may_call

    def process(self, number: int) -> process.Process:
        """The process in the form that the checks expect."""
        return process.Process(number, self.registry, self.registry, None, lambda: self._may_call)

    def outside(self) -> str:
        """The activity of the process's first thread outside MPI."""
        return self._outside


@contextlib.contextmanager
def opened(processes: Sequence[Process]) -> Iterator[tuple[list[RunningProcess], list[str]]]:
    """Yield the processes with records, and a sentence for each other process."""
    found: list[RunningProcess] = []
    failures = []
    try:
        for one in processes:
            try:
                found.append(_opened(one))
            except MpippError as error:
                failures.append(f"process {one.pid}: {error}")
        yield found, failures
    finally:
        for each in found:
            each.close()


def _opened(one: Process) -> RunningProcess:
    if one.obstacle:
        raise MpippError(one.obstacle)
    found = RunningProcess(one.pid)
    if not found.is_recorded:
        found.close()
        raise MpippError(found.failure or _NOT_RECORDED)
    return found


def movements(processes: Sequence[RunningProcess]) -> dict[str, str]:
    """The movement of each process by its id; "" while a process changes its records."""
    found = {}
    for one in processes:
        found[str(one.pid)] = ""
        with contextlib.suppress(MpippError):
            found[str(one.pid)] = one.progress()
    return found


def movement_record(processes: Sequence[Process]) -> dict[str, Any]:
    """The answer of an agent: the movements."""
    with opened(processes) as (found, _):
        return {"movements": movements(found)}


def record(processes: Sequence[Process]) -> dict[str, Any]:
    """The answer of an agent: the movements, and after them the records."""
    with opened(processes) as (found, failures):
        begun = movements(found)
        stored = []
        for one in found:
            try:
                stored.append(_record(one))
            except MpippError as error:
                failures.append(f"process {one.pid}: {error}")
        return {"movements": begun, "processes": stored, "failures": failures}


def _record(one: RunningProcess) -> dict[str, Any]:
    found = one.process()
    file = writer.written(found, one.places.frames, launch.node()).process
    return {
        "pid": one.pid,
        "file": base64.b64encode(file).decode(),
        "outside": one.outside(),
        "may_call": found.may_gain_caller,
    }


def stored(content: Mapping[str, Any]) -> tuple[list[StoredProcess], list[str]]:
    """The processes and failures in the answer of an agent. Raises MpippError."""
    try:
        found = [_stored(one) for one in content["processes"]]
        return found, [str(one) for one in content["failures"]]
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise MpippError("these are not the records of a job") from None


def _stored(one: Mapping[str, Any]) -> StoredProcess:
    with tempfile.NamedTemporaryFile(prefix="mpipp-") as file:
        file.write(base64.b64decode(one["file"], validate=True))
        file.flush()
        found = writer.read(file.name)
    return StoredProcess(found, int(one["pid"]), str(one["outside"]), bool(one["may_call"]))
