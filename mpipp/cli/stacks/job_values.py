# SPDX-License-Identifier: MIT
"""The values of one expression in a job's processes on this node, without a debugger."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from mpipp.cli.stacks import process_stacks
from mpipp.cli.stacks.process_sequence import read_each
from mpipp.cli.stacks.process_stacks import CallStack, RunningProcess
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.ranks import gathered_values
from mpipp.ranks.gathered_values import GatheredValues
from mpipp.symbolizer.line_table import damage
from mpipp.symbolizer.variables import access_path, named_values
from mpipp.symbolizer.variables.named_values import Found
from mpipp.toolchain.running_jobs import Process
from mpipp.watcher.processes.variable_names import scope_of


@dataclass
class JobValues:
    """The values of a job's processes.

    Attributes:
        by_rank: the values of processes with a rank in MPI_COMM_WORLD.
        failures: a sentence for each process that is missing.
        stood: the longest time that a thread was stopped, in seconds.
    """

    by_rank: GatheredValues = field(default_factory=GatheredValues)
    failures: list[str] = field(default_factory=list)
    stood: float = 0.0

    def merge(self, other: JobValues) -> None:
        """Add the values of another node."""
        self.by_rank.merge(other.by_rank)
        self.failures += other.failures
        self.stood = max(self.stood, other.stood)

    def record(self) -> dict[str, Any]:
        """The values for JSON."""
        return {
            **self.by_rank.record(),
            "failures": self.failures,
            "stopped_seconds": self.stood,
        }


def from_record(content: Mapping[str, Any]) -> JobValues:
    """The values of a record, as `JobValues.record` writes it. Raises MpippError."""
    try:
        failures = [str(one) for one in content["failures"]]
        stood = float(content["stopped_seconds"])
    except (ValueError, KeyError, TypeError):
        raise MpippError("these are not the values of a job") from None
    return JobValues(gathered_values.from_record(content), failures, stood)


def read(processes: Sequence[Process], expression: str) -> JobValues:
    """Read the value of the expression in the processes.

    Raises MpippError if the expression is none that mpipp can read.
    """
    access_path.parsed(expression)
    found = JobValues()
    read_each(processes, lambda process: _add(found, process, expression), found.failures)
    return found


def _add(found: JobValues, process: Process, expression: str) -> None:
    with contextlib.closing(RunningProcess(process.pid)) as one:
        info = one.registry.info if one.is_recorded else None
        rank = process.rank if info is None or info.world_rank is None else info.world_rank
        if rank < 0:
            raise MpippError("its rank is not known")
        if rank in found.by_rank.functions or rank in found.by_rank.failures:
            raise MpippError(f"another process also has rank {rank}: it was spawned")
        stacks, stood = process_stacks.call_stacks(one)
        found.stood = max(found.stood, stood)
        try:
            known = _value(one, stacks, expression, rank)
        except MpippError as error:
            found.by_rank.failures[rank] = str(error)
            return
    found.by_rank.values.append(known.value)
    found.by_rank.functions[rank] = known.function


def _value(one: RunningProcess, stacks: Sequence[CallStack], expression: str, rank: int) -> Found:
    # The first stack in which the expression has a value; threads in MPI come first.
    first: MpippError | None = None
    for stack in sorted(stacks, key=lambda each: not each.is_in_mpi):
        try:
            with contextlib.suppress(*damage()):
                every = (scope_of(one.places, frame) for frame in stack.frames if frame.end)
                scopes = [scope for scope in every if scope is not None]
                if scopes:
                    return named_values.value(expression, rank, scopes, stack.memory)
        except MpippError as error:
            first = first or error
    raise first or MpippError("its stack has no function with debug information")
