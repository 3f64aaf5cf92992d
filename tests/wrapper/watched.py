# SPDX-License-Identifier: MIT
"""Run test programs that print their state (programs/probe.h), and read their registry."""

from __future__ import annotations

import functools
import os
import select
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mpipp.model import KINDS, Broken, Call, Request, Thread
from mpipp.registry.memory.address_space import ProcessMemory
from mpipp.registry.registry import Registry
from mpipp.toolchain import build_wrapper
from mpipp.toolchain import mpi_libraries as mpis
from tests import support

PROGRAMS = Path(__file__).with_name("programs")
_LONGEST = 120  # seconds for a process to reach its next stop, on a busy machine


class Process:
    """One process of a test program: its printed values so far, and its registry.

    After `until` it is stopped, so `registry` may be read.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("r")
        word, pid, registry = self._lines.readline().split()
        assert word == "process"
        self.pid = int(pid)
        self.said: dict[str, int] = {}
        self.memory = ProcessMemory(self.pid)
        self._address = int(registry, 16)
        self._registry: Registry | None = None
        self._waiting = False
        self.ended = False

    @property
    def registry(self) -> Registry:
        """The registry of the process at its current stop."""
        assert self._address, "the wrapper is not in the program"
        if self._registry is None:
            self._registry = Registry(self.memory, self._address)
        return self._registry

    def fileno(self) -> int:
        """The descriptor of the connection, to wait for its next stop."""
        return self._connection.fileno()

    def go(self) -> None:
        """Let the process continue."""
        if self._waiting:
            self._connection.sendall(b".")
            self._waiting = False

    def next(self) -> str | None:
        """Continue it to its next stop. Returns the stop's name, or None at its end."""
        self.go()
        for line in self._lines:
            word, rest = line.rstrip("\n").split(" ", 1)
            if word == "look":
                self._waiting = True
                if self._registry is not None:
                    self._registry.invalidate()
                return rest
            name, value = rest.rsplit(" ", 1)
            self.said[name] = int(value)
        self.ended = True
        return None

    def until(self, what: str) -> Process:
        """Continue it to the stop of that name, which must be the next."""
        stop = self.next()
        assert stop == what, f"stopped at {stop}, not at {what}; said {self.said}"
        return self

    def end(self) -> None:
        """Continue it to its end. There must be no other stop."""
        assert self.next() is None

    def find(self, kind: str, name: str) -> Any:
        """The object whose handle the program printed under `name`."""
        found = self.registry.find(kind, self.said[name])
        assert found is not None, f"{name} is not recorded"
        assert not isinstance(found, Broken), found
        return found

    def calls(self) -> list[Call]:
        """The calls that its threads are in."""
        threads = [t for t in self.registry.threads() if isinstance(t, Thread)]
        return [thread.call for thread in threads if thread.call]

    def pending(self) -> list[Request]:
        """The requests that are recorded as started and not completed, oldest first."""
        found = [r for r in self.registry.pending_requests() if isinstance(r, Request)]
        return sorted(found, key=lambda request: request.header.serial)

    def live(self, kind: str) -> list[Any]:
        """The objects of a kind that the program created and did not free."""
        found = list(self.registry.objects(kind))
        return [o for o in found if not (o.header.predefined or o.header.null)]

    def count(self, kind: str) -> int:
        """The number of records that were ever used for objects of a kind."""
        return int(self.registry._source.table(kind).count)

    def line_of(self, address: int) -> int:
        """The source line of the call that returns to `address`."""
        program = os.readlink(f"/proc/{self.pid}/exe")
        maps = Path(f"/proc/{self.pid}/maps").read_text().splitlines()
        base = min(int(line.partition("-")[0], 16) for line in maps if line.endswith(program))
        done = subprocess.run(
            [support.need("addr2line"), "-e", program, hex(address - 1 - base)],
            capture_output=True,
            text=True,
            check=True,
        )
        return int(done.stdout.split()[0].rpartition(":")[2])

    def check_consistent(self) -> None:
        """Check that no record is broken or was dropped."""
        assert self.registry.info.dropped == 0
        for kind in KINDS:
            for found in self.registry.objects(kind, ended=True):
                assert not isinstance(found, Broken), found


def headers(mpi: support.MPI) -> list[str]:
    """Compiler flags for mpipp_have.h and the wrapper's own headers."""
    directory = support.BUILD / f"have-{mpi.id}"
    directory.mkdir(parents=True, exist_ok=True)
    with support.locked(directory / "lock"):
        if not (directory / "mpipp_have.h").exists():
            build_wrapper.write_have(mpis.probe(mpi.mpicc), directory)
    return [f"-I{directory}", f"-I{support.ROOT / 'wrapper'}", f"-I{PROGRAMS}"]


@functools.cache
def compiled(name: str, mpi_id: str, *flags: str) -> Path:
    """A program of programs/, or a source file, compiled for an MPI."""
    mpi = support.find_mpi(mpi_id)
    words = ["-g", "-O0", "-Wall", *headers(mpi), *flags]
    words += ["-pthread", "-Wl,--no-as-needed", "-ldl"]
    source = Path(name) if "/" in name else support.program_source("wrapper", name)
    return support.compile_program(source, mpi, words)


def ready(processes: list[Process]) -> list[Process]:
    """Wait for the first process that stops or ends. Returns all that have."""
    poll = select.poll()
    by_file = {process.fileno(): process for process in processes}
    for file in by_file:
        poll.register(file, select.POLLIN)
    events = poll.poll(1000 * _LONGEST)
    assert events, "no process comes to its next stop"
    return [by_file[file] for file, _ in events]


def all_until(processes: list[Process], what: str) -> None:
    """Continue all processes at once to the stop of that name."""
    for process in processes:
        process.go()
    for process in processes:
        process.until(what)


def all_end(processes: list[Process]) -> None:
    """Continue all processes at once to their ends."""
    for process in processes:
        process.go()
    for process in processes:
        process.end()


def ranked(processes: list[Process]) -> list[Process]:
    """The processes in the order of the ranks that they printed."""
    return sorted(processes, key=lambda process: process.said["rank"])


@contextmanager
def watched(
    name: str,
    mpi: support.MPI,
    *,
    n: int = 1,
    connections: int | None = None,
    args: Sequence[str | Path] = (),
    env: Mapping[str, str] | None = None,
    flags: Sequence[str] = (),
) -> Iterator[list[Process]]:
    """The processes of programs/NAME, started with the wrapper. Each has just begun.

    With n == 1 it is started without mpiexec. `connections` is the number of processes in all, if
    not n. At the end, processes that have not ended are killed. If all ended, a status other than 0
    fails.
    """
    program = compiled(name, mpi.id, *flags)
    directory = Path(tempfile.mkdtemp(prefix="mpipp-"))  # short, because a socket's path must be
    command = [f"LD_PRELOAD={mpi.preload(env)}", str(program), *map(str, args)]
    command = ["env", *command] if n == 1 else [*mpi.mpiexec, "-n", str(n), "env", *command]
    log = directory / "log"
    with socket.socket(socket.AF_UNIX) as server, log.open("w") as output:
        server.bind(str(directory / "socket"))
        server.listen()
        process = subprocess.Popen(
            command,
            env={**mpi.env, "PROBE_SOCKET": str(directory / "socket"), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        processes: list[Process] = []
        try:
            server.settimeout(0.2)
            deadline = time.monotonic() + _LONGEST
            while len(processes) < (connections or n):
                try:
                    connection = server.accept()[0]
                except TimeoutError:
                    if process.poll() is not None or time.monotonic() > deadline:
                        pytest.fail(f"{name} did not start: {log.read_text()}")
                    continue
                connection.settimeout(_LONGEST)
                processes.append(Process(connection))
            yield processes
            if all(one.ended for one in processes):
                status = process.wait(_LONGEST)
                assert status == 0, f"{name} ended with status {status}: {log.read_text()}"
            else:
                process.terminate()
        except BaseException:
            process.terminate()
            print(log.read_text())  # pytest shows this output with the failure
            raise
        finally:
            for one in processes:
                one._connection.close()
                one.memory.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            shutil.rmtree(directory, ignore_errors=True)
