# SPDX-License-Identifier: MIT
"""docs/tutorial.md shows what a user sees: its gdb sessions, run as written.

With MPIPP_UPDATE_DOCS=1 the outputs in the file are replaced by what gdb prints.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pexpect
import pytest

from tests.support import MPI, ROOT, find_mpi, need

TUTORIAL = ROOT / "docs" / "tutorial.md"
PROMPT = "(gdb) "


@dataclass
class Command:
    """One line after the prompt, and what the tutorial says gdb prints."""

    text: str
    expected: list[str] = field(default_factory=list)
    line: int = 0


@dataclass
class Session:
    """One gdb: how it is started ("attach column 1"), and what is typed."""

    start: list[str]
    commands: list[Command] = field(default_factory=list)


def read_sessions(text: str) -> list[Session]:
    sessions: list[Session] = []
    inside = False
    for number, line in enumerate(text.splitlines()):
        found = re.fullmatch(r"<!-- session: (.*) -->", line)
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
    """A line without what differs from run to run."""
    line = re.sub(r"0x[0-9a-f]{5,}", "0x...", line)
    line = re.sub(r"^#\d+ ", "#N ", line)  # how deep in the library it was stopped
    line = re.sub(r"(pid|process|LWP|Thread 0x\S+ \(LWP) \d+", r"\1 N", line)
    line = re.sub(r"built with \S+", "built with mpicc", line)
    line = re.sub(r"libthread_db library .*", "libthread_db library", line)
    line = re.sub(r"\S*/(column|particles)$", r"/\1", line)
    line = re.sub(r"(from program: )\S*/", r"\1/", line)
    return re.sub(r"\b(at|file) \S*/(\w+\.[ch])", r"\1 \2", line).rstrip()


def shown(lines: list[str], directory: Path) -> list[str]:
    """Lines as they go into the file: a user's paths, not this machine's."""
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
            timeout=60,
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
        # A page of the kernel's that no process may read; not on every machine.
        lines = [line for line in lines if not line.startswith("warning: Memory read failed")]
        if lines and lines[0].strip() == command:
            lines.pop(0)
        while lines and not lines[-1].strip():
            lines.pop()
        return [line.rstrip() for line in lines]


@contextmanager
def started(session: Session, mpi: MPI, directory: Path, mpipp: str) -> Iterator[Gdb]:
    how, program, *rest = session.start
    if how != "attach":
        words = ["--", f"./{program}"] if how == "run" else [f"./{program}", rest[0]]
        yield Gdb([mpipp, "gdb", "-q", *words], mpi, directory)
        return
    words = [mpipp, "run", "-n", "2", "--", f"./{program}"]
    launcher = subprocess.Popen(
        words, cwd=directory, env=dict(mpi.env), stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        pids = wait_for_ranks(program, directory)
        yield Gdb([mpipp, "gdb", "-q", "-p", str(pids[int(rest[0])])], mpi, directory)
    finally:
        os.killpg(launcher.pid, 15)
        launcher.wait(timeout=30)


def wait_for_ranks(program: str, directory: Path) -> list[int]:
    """The processes of both ranks, oldest first, once both wait in MPI."""
    for _ in range(300):
        done = subprocess.run(["pgrep", "-x", program], capture_output=True, text=True, check=False)
        # There may be others of this name: another run of this test, or the system's `column`.
        pids = [pid for pid in sorted(map(int, done.stdout.split())) if works_in(directory, pid)]
        if len(pids) == 2 and all(cpu_seconds(pid) > 0.3 for pid in pids):
            return pids
        time.sleep(0.1)
    raise AssertionError(f"the two processes of {program} did not start")


def works_in(directory: Path, pid: int) -> bool:
    try:
        return os.path.samefile(f"/proc/{pid}/cwd", directory)
    except OSError:  # it has ended
        return False


def cpu_seconds(pid: int) -> float:
    """Both ranks poll while they wait: processor time says that they are past the start."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rewrite(text: str, answers: dict[int, list[str]], sessions: list[Session]) -> str:
    lines = text.splitlines()
    for command in reversed([c for s in sessions for c in s.commands]):
        first = command.line + 1
        lines[first : first + len(command.expected)] = answers[command.line]
    return "\n".join(lines) + "\n"


@pytest.mark.timeout(300)
def test_every_output_in_the_tutorial_is_what_gdb_prints(tmp_path: Path) -> None:
    mpi = find_mpi("mpich4")
    need("gdb")
    mpipp = shutil.which("mpipp", path=str(ROOT / ".venv" / "bin")) or need("mpipp")
    for name in ("column", "particles"):
        source = tmp_path / "examples" / f"{name}.c"
        source.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "examples" / source.name, source)
        words = [mpi.mpicc, "-g", f"examples/{name}.c", "-o", name]
        subprocess.run(words, cwd=tmp_path, env=dict(mpi.env), check=True)
    assert mpi.wrapper  # built before the clock of the first session runs
    text = TUTORIAL.read_text()
    sessions = read_sessions(text)
    answers: dict[int, list[str]] = {}
    for session in sessions:
        with started(session, mpi, tmp_path, mpipp) as gdb:
            for command in session.commands:
                answers[command.line] = shown(gdb.ask(command.text), tmp_path)
    if os.environ.get("MPIPP_UPDATE_DOCS"):
        TUTORIAL.write_text(rewrite(text, answers, sessions))
        return
    for session in sessions:
        for command in session.commands:
            assert [same(line) for line in answers[command.line]] == [
                same(line) for line in command.expected
            ], command.text
