# SPDX-License-Identifier: MIT
"""Sessions of gdb in a page of the documents: typed as written, and compared.

With MPIPP_UPDATE_DOCS=1 the outputs in the page are replaced by gdb's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pexpect

from mpipp.common.errors import MpippError
from mpipp.registry.layout.field_table import find_in
from mpipp.registry.memory.address_space import ProcessMemory
from mpipp.registry.registry import Registry
from tests.support import MPI, ROOT, end, symbols

PROMPT = "(gdb) "
GOES_ON = "goes on"  # this session continues in the gdb of the last one
QUIETLY = ["-q", *(word for setting in symbols() for word in ("-iex", setting))]


@dataclass
class Command:
    """A typed line, and gdb's output in the page."""

    text: str
    expected: list[str] = field(default_factory=list)
    line: int = 0


@dataclass
class Session:
    """A gdb: the words that describe its start ("attach column 1"), and the typed lines."""

    start: list[str]
    commands: list[Command] = field(default_factory=list)


def read_sessions(text: str) -> list[Session]:
    sessions: list[Session] = []
    inside = False
    for number, line in enumerate(text.splitlines()):
        found = re.fullmatch(r"<!-- session: (.*) -->", line)
        if found and found.group(1) == GOES_ON:
            continue
        if found:
            sessions.append(Session(found.group(1).split()))
        elif line.startswith("```"):
            inside = line == "```gdb"
        elif inside and line.startswith(PROMPT):
            sessions[-1].commands.append(Command(line[len(PROMPT) :], line=number))
        elif inside:
            sessions[-1].commands[-1].expected.append(line)
    return sessions


def same(line: str) -> str:
    """A line without the parts that vary between runs."""
    line = re.sub(r"0x[0-9a-f]{5,}", "0x...", line)
    line = re.sub(r"^#\d+ +", "#N ", line)  # the depth in the library varies
    line = re.sub(r"(pid|process|LWP|Thread 0x\S+ \(LWP) \d+", r"\1 N", line)
    line = re.sub(r"built with .*", "built with mpicc", line)
    line = re.sub(r"libthread_db library .*", "libthread_db library", line)
    line = re.sub(r"\S*/(column|particles)$", r"/\1", line)
    line = re.sub(r"(from program: )\S*/", r"\1/", line)
    return re.sub(r"\b(at|file) \S*/(\w+\.[ch])", r"\1 \2", line).rstrip()


def shown(lines: list[str], directory: Path) -> list[str]:
    """Lines for the file, with a user's paths in place of this machine's."""
    text = (
        "\n".join(lines).replace(str(directory), "/home/you").replace(str(ROOT), "/home/you/mpipp")
    )
    return text.split("\n") if text else []


class Gdb:
    """A conversation with gdb at a terminal."""

    def __init__(self, words: list[str], mpi: MPI, directory: Path) -> None:
        self.child = pexpect.spawn(
            words[0],
            words[1:],
            env={**mpi.env, "TERM": "dumb", "DEBUGINFOD_URLS": ""},
            cwd=str(directory),
            encoding="utf-8",
            timeout=120,
            dimensions=(200, 160),
            echo=False,
        )
        self.child.expect_exact(PROMPT)
        self.ask("set pagination off")
        self.ask("set confirm off")

    def ask(self, command: str) -> list[str]:
        self.child.sendline(command)
        self.child.expect([re.escape(PROMPT), pexpect.EOF])
        lines = (self.child.before or "").replace("\r", "").split("\n")
        # On some machines gdb warns about a page of the kernel that no process may read.
        lines = [line for line in lines if not line.startswith("warning: Memory read failed")]
        if lines and lines[0].strip() == command:
            lines.pop(0)
        while lines and not lines[-1].strip():
            lines.pop()
        return [line.rstrip() for line in lines]

    def leave(self) -> None:
        """Quit gdb, and wait for the program that opened it."""
        self.child.sendline("quit")
        self.child.expect(pexpect.EOF)
        self.child.wait()  # without this, `close` kills the process after 0.1 s
        self.child.close()


def compiled(names: Sequence[str], mpi: MPI, directory: Path) -> None:
    """Compile the examples of these names in `directory`, like a user."""
    (directory / "examples").mkdir()
    for name in names:
        shutil.copy(ROOT / "examples" / f"{name}.c", directory / "examples")
        words = [mpi.mpicc, "-g", f"examples/{name}.c", "-o", name]
        subprocess.run(words, cwd=directory, env=dict(mpi.env), check=True)
    assert mpi.wrapper  # build the wrapper now, because the first session has a time limit


@contextmanager
def running(
    words: Sequence[str], number: int, program: str, mpi: MPI, directory: Path
) -> Iterator[list[int]]:
    """A job of `number` processes, oldest first, once all of them poll or compute."""
    launcher = subprocess.Popen(
        words,
        cwd=directory,
        env=dict(mpi.env),
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        yield in_calls(number, program, directory)
    finally:
        os.killpg(launcher.pid, 15)
        end(launcher)


def in_calls(number: int, program: str, directory: Path) -> list[int]:
    """The processes of a program that were started in a directory, once all of them poll or
    compute."""
    # The processor time of each process when all of them were past MPI_Init.
    begun: dict[int, float] = {}
    for _ in range(600):
        done = subprocess.run(["pgrep", "-x", program], capture_output=True, text=True, check=False)
        # Other processes may have this name: another run of this test, or the system's `column`.
        pids = [pid for pid in sorted(map(int, done.stdout.split())) if _works_in(directory, pid)]
        if not begun and len(pids) == number and all(map(_has_started, pids)):
            begun = {pid: _cpu_seconds(pid) for pid in pids}
        # They poll while they wait, so growing processor time shows that they have reached their
        # places.
        if begun and all(_cpu_seconds(pid) > seconds + 0.1 for pid, seconds in begun.items()):
            return list(begun)
        time.sleep(0.1)
    raise AssertionError(f"the processes of {program} did not start")


def _has_started(pid: int) -> bool:
    with suppress(MpippError):  # the process has no registry yet
        memory = ProcessMemory(pid)
        try:
            return Registry(memory, find_in(memory, memory.search)).info.status == "started"
        finally:
            memory.close()
    return False


def _works_in(directory: Path, pid: int) -> bool:
    try:
        return os.path.samefile(f"/proc/{pid}/cwd", directory)
    except OSError:  # the process has ended
        return False


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def verify(
    page: Path,
    directory: Path,
    started: Callable[[Session], AbstractContextManager[Gdb]],
    alike: Callable[[str], str] = same,
) -> None:
    """Type every session of a page. Fails if gdb's output differs."""
    text = page.read_text()
    sessions = read_sessions(text)
    answers: dict[int, list[str]] = {}
    for session in sessions:
        with started(session) as gdb:
            for command in session.commands:
                answers[command.line] = shown(gdb.ask(command.text), directory)
    if os.environ.get("MPIPP_UPDATE_DOCS"):
        page.write_text(_rewritten(text, answers, sessions))
        return
    for session in sessions:
        for command in session.commands:
            assert [alike(line) for line in answers[command.line]] == [
                alike(line) for line in command.expected
            ], command.text


def _rewritten(text: str, answers: dict[int, list[str]], sessions: list[Session]) -> str:
    lines = text.splitlines()
    for command in reversed([c for s in sessions for c in s.commands]):
        first = command.line + 1
        lines[first : first + len(command.expected)] = answers[command.line]
    return "\n".join(lines) + "\n"
