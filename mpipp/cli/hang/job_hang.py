# SPDX-License-Identifier: MIT
"""The explanation of a running job's hang, from the records of its processes on all nodes.

mpipp explains only processes that did not move. mpipp first reads the movement of each process,
then the records, then the movements again. The second reading begins when the first has ended on
all nodes, so all processes that did not move stood still at one time. This test needs no common
clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar, Union

from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import worlds
from mpipp.analysis.deadlock import before_init
from mpipp.analysis.deadlock.analysis import Explanation, explain_all
from mpipp.cli.nodes import agent, node_queries
from mpipp.cli.nodes.job_nodes import Node
from mpipp.cli.stacks import job_records
from mpipp.cli.stacks.job_records import StoredProcess
from mpipp.cli.stacks.process_stacks import RunningProcess
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.toolchain import running_jobs
from mpipp.watcher.processes.labels import View

_Member = Union[RunningProcess, StoredProcess]
_Shown = TypeVar("_Shown")


class _Name(NamedTuple):
    rank: int | None
    pid: int


class JobView(View):
    """The source lines of the processes of a job."""

    def __init__(self, members: Sequence[_Member]) -> None:
        super().__init__(members)
        self._members = members

    def outside(self, process: Process) -> str:
        """The activity of the first thread of a process that is outside MPI."""
        return self._members[process.number].outside()


class Hang(NamedTuple):
    """The explanation of each MPI_COMM_WORLD of a job.

    Attributes:
        unranked: processes without a known rank.
        view: the source lines of the processes.
        failures: a sentence for each process that the explanation leaves out.
    """

    jobs: list[Explanation]
    unranked: list[Process]
    view: JobView
    failures: list[str]


def shown(
    processes: Sequence[running_jobs.Process],
    nodes: Sequence[Node],
    shell: Sequence[str],
    show: Callable[[Hang], _Shown],
) -> _Shown:
    """Return the result of `show` for the explanation.

    Args:
        processes: the processes of the job on this node.
        nodes: its other nodes.
        shell: the words of the remote shell.
        show: makes the text. mpipp may call it again, if a process has moved meanwhile.

    Raises MpippError if there is no process to explain.
    """
    with job_records.opened(processes) as (here, failures):
        begun = job_records.movements(here)
        others, moved = _others(nodes, shell, failures)
        while True:
            members: list[_Member] = [*here, *others]
            if not members:
                _raise(failures, moved)
            result, error = _tried(members, [*failures, *_left_out(moved)], show)
            now = job_records.movements(here)
            moving = [one for one in here if not _is_still(begun, now, one.pid)]
            if not moving:
                if error is not None:
                    raise error
                assert result is not None
                return result
            moved += map(_name, moving)
            here = [one for one in here if one not in moving]


def _tried(
    members: Sequence[_Member], failures: list[str], show: Callable[[Hang], _Shown]
) -> tuple[_Shown | None, MpippError | None]:
    # The error of damaged records counts only if no process has moved.
    for one in members:
        if isinstance(one, RunningProcess):
            one.registry.invalidate()
    processes = [one.process(number) for number, one in enumerate(members)]
    try:
        jobs = [explain_all(world) for world in worlds(processes) if world.processes]
        unranked = before_init.unranked(processes)
        return show(Hang(jobs, unranked, JobView(members), failures)), None
    except MpippError as error:
        return None, error


def _others(
    nodes: Sequence[Node], shell: Sequence[str], failures: list[str]
) -> tuple[list[StoredProcess], list[_Name]]:
    # The processes of other nodes that did not move, and the names of those that moved.
    found: list[StoredProcess] = []
    moved: list[_Name] = []
    answers = node_queries.ask(agent.RECORDS, nodes, shell)
    after = {one.node: one for one in node_queries.ask(agent.MOVEMENTS, nodes, shell)}
    for answer in answers:
        later = after[answer.node]
        if answer.failure or later.failure:
            failures.append(answer.failure or later.failure)
            continue
        processes, failed = job_records.stored(answer.content)
        failures += failed
        begun, now = (one.content["movements"] for one in (answer, later))
        for one in processes:
            if _is_still(begun, now, one.pid):
                found.append(one)
            else:
                moved.append(_name(one))
    return found, moved


def _is_still(begun: dict[str, str], now: dict[str, str], pid: int) -> bool:
    before = begun.get(str(pid))
    return bool(before) and now.get(str(pid)) == before


def _name(one: _Member) -> _Name:
    return _Name(one.registry.info.world_rank, one.pid)


def _left_out(moved: Sequence[_Name]) -> list[str]:
    ranks = sorted({one.rank for one in moved if one.rank is not None})
    names = [wording.ranks(ranks)] if ranks else []
    names += [f"process {one.pid}" for one in moved if one.rank is None]
    why = "made MPI calls while mpipp read the records"
    return [f"not explained: {name} {why}" for name in names]


def _raise(failures: Sequence[str], moved: Sequence[_Name]) -> None:
    if moved and not failures:
        raise MpippError("all ranks made MPI calls while mpipp read the records: none hangs")
    raise MpippError("; ".join([*failures, *_left_out(moved)]) or "the job has no processes")
