# SPDX-License-Identifier: MIT
"""Watchers that get damaged copies of the records of two live processes of jumble.c.

A watcher has little memory (as with `ulimit -v`) and little time. It must answer both processes and
end by itself, without an unexpected exception. The processes are not disturbed.
"""

from __future__ import annotations

import array
import contextlib
import json
import os
import random
import resource
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.model import Thread
from mpipp.registry.memory.address_space import ProcessMemory
from mpipp.registry.registry import Registry
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.ipc.shared_memory import FileMemory
from mpipp.watcher.processes.liveness import goes_on
from tests import support
from tests.fuzz import places
from tests.fuzz.places import Targets
from tests.fuzz.snapshots import PROGRAM, STOPS

TOGETHER = 100  # cases that share their processes
_MORE = 512 << 20  # bytes of memory for a watcher, beyond Python's
_ANSWER = 30.0  # seconds to wait for an answer
_ENDS = (said.FINALIZED, said.EXITING, said.ABORTING, 0)
_HELLO = struct.Struct("=8sIIQQQQQ")  # struct mpipp_hello


class Handed(NamedTuple):
    """The data that a process passed to its watcher."""

    pid: int
    hello: bytes
    root: int
    arena: int  # offset of the list of regions
    content: bytes  # content of the memory file
    targets: Targets


def chunks(seeds: range) -> list[range]:
    """The cases that share their processes: all of them use the same stop."""
    starts = range(seeds.start - seeds.start % TOGETHER, seeds.stop, TOGETHER)
    chosen = [range(max(i, seeds.start), min(i + TOGETHER, seeds.stop)) for i in starts]
    return [chunk for chunk in chosen if chunk]


def run(seeds: range, mpi_id: str) -> Iterator[str]:
    """The failures in the cases of the seeds, each with its seed."""
    mpi = support.find_mpi(mpi_id)
    with handed(mpi, seeds[0] // TOGETHER % STOPS) as processes:
        for seed in seeds:
            wrong = _case(random.Random(seed), processes)
            if wrong:
                yield f"case {seed}: {wrong}"
            harmed = [one.pid for one in processes if not goes_on(one.pid)]
            if harmed:
                yield f"case {seed}: processes {harmed} have ended"
                return


@contextmanager
def handed(mpi: support.MPI, stop: int) -> Iterator[list[Handed]]:
    """Two processes in calls that never end. They take this process for their watcher."""
    program = support.compile_program(PROGRAM, mpi, ["-g", "-O0"])
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        path = os.path.join(directory, "watcher")
        listener = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        listener.bind(path)
        listener.listen()
        listener.settimeout(120)
        environment = [f"LD_PRELOAD={mpi.wrapper}", f"MPIPP_WATCH={path}"]
        words = [*mpi.mpiexec, "-n", "2", "env", *environment, str(program), str(stop)]
        process = stack.enter_context(
            support.running(words, env=dict(mpi.env), stdout=subprocess.DEVNULL)
        )
        stack.callback(support.end, process)
        made = [stack.enter_context(listener.accept()[0]) for _ in range(2)]
        found = [_taken(one) for one in made]
        yield sorted(found, key=lambda one: one.pid)


def _taken(made: socket.socket) -> Handed:
    room = socket.CMSG_SPACE(array.array("i").itemsize)
    hello, rights, _, _ = made.recvmsg(4096, room)
    file = array.array("i", rights[0][2])[0]
    made.send(said.MET)
    _, _, _, pid, root, arena, _, _ = _HELLO.unpack(hello)
    others = ProcessMemory(pid)
    memory = FileMemory(file, arena, others)
    until = time.monotonic() + 60
    while not _is_inside(memory, root):
        assert time.monotonic() < until, f"process {pid} is not in MPI"
        time.sleep(0.01)
    where = places.targets(Registry(memory, root), memory)
    content = os.pread(file, os.fstat(file).st_size, 0)
    others.close()
    os.close(file)
    return Handed(pid, hello, root, arena, content, where)


def _is_inside(memory: FileMemory, root: int) -> bool:
    with contextlib.suppress(MpippError):  # the process changes its records meanwhile
        memory.refresh()
        threads = Registry(memory, root).threads()
        return any(isinstance(thread, Thread) and thread.call for thread in threads)
    return False


def _case(chance: random.Random, processes: list[Handed]) -> str:
    # Returns the failure, or "".
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        path = os.path.join(directory, "watcher")
        listener = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        listener.bind(path)
        listener.listen()
        output = Path(directory, "output")
        watcher = os.fork()
        if not watcher:
            _watch(listener, directory, output)
        try:
            wrong = _acted(chance, processes, path)
            status = _ended(watcher)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(watcher, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(watcher, 0)
        traces = "".join(one.read_text() for one in Path(directory).glob("watcher-*.log"))
        lines = [json.loads(line) for line in output.read_text().splitlines()]
        if traces:
            wrong += f"\n{traces}"
        elif status:
            wrong += f" it ended with status {status}"
        elif not any("total" in line for line in lines):
            wrong += " it has not told its last words"
        return wrong.strip()


def _ended(watcher: int) -> int | None:
    # The watcher's exit status; -1 if it does not end.
    until = time.monotonic() + _ANSWER
    while time.monotonic() < until:
        pid, status = os.waitpid(watcher, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.01)
    return -1


def _watch(listener: socket.socket, directory: str, output: Path) -> None:
    # Runs in a process of its own.
    from mpipp.watcher.damaged_records import TracebackFile
    from mpipp.watcher.event_loop import EventLoop
    from mpipp.watcher.settings import Settings

    status = 1
    try:
        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + _MORE, taken + _MORE))
        settings = Settings(hang_after=0.05)
        EventLoop(listener, _Told(output), settings, TracebackFile(directory, settings)).run()
        status = 0
    finally:
        os._exit(status)


class _Told:
    # Writes the messages of a watcher as lines.

    has_launcher = True

    def __init__(self, path: Path) -> None:
        self._file = path.open("w")

    def block(self, text: str, found: list[dict[str, object]]) -> None:
        self._say({"block": text})

    def stops(self, pids: object, tid: int) -> None:
        self._say({"stops": tid})

    def show_progress(self, processes: int) -> None:
        self._say({"looking": processes})

    def show_percent(self, percent: int) -> None:
        self._say({"percent": percent})

    def dies(self, sentence: str) -> None:
        self._say({"dies": sentence})

    def hangs(self) -> None:
        self._say({"hangs": True})

    def total_so_far(self, total: object) -> None:
        self._say({"so far": str(total)})

    def total(self, total: object) -> None:
        self._say({"total": str(total)})

    def fileno(self) -> int:
        return -1

    def receive(self) -> bytes:
        return b""

    def _say(self, what: dict[str, object]) -> None:
        self._file.write(json.dumps(what) + "\n")
        self._file.flush()


def _acted(chance: random.Random, processes: list[Handed], path: str) -> str:
    # Two processes connect, send queries, and end.
    with contextlib.ExitStack() as stack:
        made = []
        for number, one in enumerate(processes):
            content = one.content
            copy = os.memfd_create("mpipp")
            os.pwrite(copy, content, 0)
            if number == 0 or chance.random() < 0.1:
                places.damage(chance, one.targets, _Copy(FileMemory(copy, one.arena)))
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            made.append(stack.enter_context(connection))
            connection.connect(path)
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [copy]))]
            connection.sendmsg([one.hello], rights)
            os.close(copy)
        if chance.random() < 0.3:
            time.sleep(0.3)  # the watcher explains now why nothing moves
        for one, connection in zip(processes, made):
            # The watcher has closed the connection, because it rejected the first message.
            with contextlib.suppress(OSError):
                if chance.random() < 0.5:
                    address = chance.choice((*one.targets.pointers, 0, 8, 1 << 63))
                    connection.send(struct.pack("=8sQ", b"MPIPPASK", address))
                    if _answer(connection) is None:
                        return "a question is not answered"
        ends = [chance.choice(_ENDS) for _ in made]
        for connection, end in zip(made, ends):
            with contextlib.suppress(OSError):
                if end:
                    connection.send(struct.pack("=8sQ", b"MPIPPEND", end))
        for connection, end in zip(made, ends):
            if end and not _is_looked_at(connection):
                return "the end of a process is not answered"
    return ""


class _Copy:
    # Damage outside the file has no effect.

    def __init__(self, memory: FileMemory) -> None:
        self._memory = memory
        self.read = memory.read

    def write(self, address: int, data: bytes) -> None:
        with contextlib.suppress(MpippError):
            self._memory.write(address, data)


def _answer(connection: socket.socket) -> bytes | None:
    # The answer; b"" if the watcher closed the connection, None if none comes.
    ready = select.poll()
    ready.register(connection, select.POLLIN)
    if not ready.poll(1000 * _ANSWER):
        return None
    with contextlib.suppress(OSError):
        return connection.recv(64)
    return b""


def _is_looked_at(connection: socket.socket) -> bool:
    while True:
        answer = _answer(connection)
        if answer is None:
            return False
        if answer in (b"", said.LOOKED):
            return True
