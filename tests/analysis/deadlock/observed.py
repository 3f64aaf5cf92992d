# SPDX-License-Identifier: MIT
"""Run a program that hangs, and explain why, from the memory of its processes."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from mpipp.analysis import all_checks
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import worlds
from mpipp.analysis.deadlock.analysis import explain
from mpipp.analysis.deadlock_text.report import Report
from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError
from mpipp.registry.memory.address_space import ProcessMemory
from mpipp.registry.registry import Registry
from tests import support
from tests.around import Around

PROGRAMS = Path(__file__).with_name("programs")
# Seconds until a program must hang. It may have more spinning processes than there are cores.
_PATIENCE = 100


_TITLE = re.compile(r"^=== (\S+), (\d) process(?:es)?\n", re.MULTILINE)


def reports(path: Path) -> dict[str, tuple[int, str]]:
    """The expectations in a file, by program: its number of processes, and the report."""
    _, *found = _TITLE.split(path.read_text())
    names, numbers, texts = found[::3], found[1::3], found[2::3]
    return {name: (int(n), text.strip()) for name, n, text in zip(names, numbers, texts)}


class Job:
    """The processes by rank, each with the address of its registry."""

    def __init__(self, program: Path, processes: dict[int, tuple[int, int]]) -> None:
        self._program = program
        self.pids = {rank: pid for rank, (pid, _) in processes.items()}
        self._memories = {rank: ProcessMemory(pid) for rank, (pid, _) in processes.items()}
        self._addresses = {rank: address for rank, (_, address) in processes.items()}
        self._registries: dict[int, Registry] = {}

    def report(self, ranks: list[int] | None = None) -> str:
        """The explanation of the hang of some ranks, by default of all."""
        lines: list[str] = []
        for world in worlds(self._processes(ranks)):
            lines += Report(explain(world), self).lines()
        return "\n".join(lines).strip()

    def findings(self) -> list[Finding]:
        """The findings of the deadlock checks in all processes."""
        failures: list[MpippError] = []
        found = list(
            all_checks.findings(self._processes(), lambda _, error: failures.append(error))
        )
        assert not failures, failures
        return found

    def _processes(self, ranks: list[int] | None = None) -> list[Process]:
        registries = [self.registry(rank) for rank in ranks or sorted(self.pids)]
        return [
            Process(number, registry, Around(registry), None)
            for number, registry in enumerate(registries)
        ]

    def becomes(self, expected: Callable[[str], bool]) -> str:
        """Wait for the expected report, and return it, or else the last report."""
        end = time.monotonic() + _PATIENCE
        found = ""
        while time.monotonic() < end:
            try:
                found = self.report()
            except MpippError as error:  # a process is changing its records
                found = str(error)
            if expected(found):
                break
            os.sched_yield()
            time.sleep(0.02)
        return found

    def place(self, operation: Operation) -> str:
        """The place where an operation was called."""
        pid = operation.process.registry.info.pid
        return _line(self._program, operation.call.site.address - 1 - _base(self._program, pid))

    def registry(self, rank: int) -> Registry:
        """The current records of a process."""
        if rank in self._registries:
            self._registries[rank].invalidate()
        else:
            self._registries[rank] = Registry(self._memories[rank], self._addresses[rank])
        return self._registries[rank]

    def outside(self, _process: Process) -> str:
        """The activity of a process outside MPI. Only a debugger knows it."""
        return "computing"

    def close(self) -> None:
        """Close the processes' memory."""
        for memory in self._memories.values():
            memory.close()


def _base(program: Path, pid: int) -> int:
    maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return min(int(line.partition("-")[0], 16) for line in maps if line.endswith(str(program)))


@functools.cache
def _line(program: Path, address: int) -> str:
    words = [support.need("addr2line"), "-f", "-s", "-e", str(program), hex(address)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    function, place = done.stdout.split()[:2]
    return f"{place} in {function}"


@contextmanager
def job(name: str, mpi: support.MPI, *args: str, n: int, env: Sequence[str] = ()) -> Iterator[Job]:
    """The processes of programs/NAME, which have started. `env` has items "VARIABLE=value"."""
    program = support.compile_program(PROGRAMS / name, mpi, ("-g", "-O0", "-ldl"))
    words = [*mpi.mpiexec, "-n", str(n), "env", *env, f"LD_PRELOAD={mpi.wrapper}"]
    words += [str(program), *args]
    with subprocess.Popen(words, env=dict(mpi.env), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        found: dict[int, tuple[int, int]] = {}
        try:
            for _ in range(n):
                rank, pid, registry = process.stdout.readline().split()
                found[int(rank)] = int(pid), int(registry, 16)
            one = Job(program, found)
            try:
                yield one
            finally:
                one.close()
        finally:
            # End the processes here: the launcher takes its time.
            for process_id, _ in found.values():
                # The launcher may have ended the process already.
                with suppress(ProcessLookupError):
                    os.kill(process_id, signal.SIGKILL)
            support.end(process, patience=0.5)
