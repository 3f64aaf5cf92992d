# SPDX-License-Identifier: MIT
"""A user of `mpipp debug` at a terminal."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pexpect

from tests.support import MPI, ROOT, clean_environment, symbols

_PROMPT = re.compile(r"\(gdb ([\w,-]+)\) $")
_PATIENCE = 100  # seconds, because the machine may be busy


class Debugger:
    """A session of `mpipp debug`.

    Attributes:
        child: the terminal.
        focus: the focus in the last prompt.
    """

    def __init__(
        self,
        words: Sequence[str],
        mpi: MPI,
        env: Mapping[str, str],
        inside: Callable[[Sequence[str]], list[str]] = list,
    ) -> None:
        command, *arguments = inside([sys.executable, "-m", "mpipp.cli", "debug", *words])
        self.child = pexpect.spawn(
            command,
            arguments,
            env={**clean_environment(PYTHONPATH=str(ROOT), DEBUGINFOD_URLS=""), **mpi.env, **env},
            encoding="utf-8",
            timeout=_PATIENCE,
            dimensions=(200, 160),
            echo=False,
        )
        self.focus = ""
        self.start = self.answer()
        self.ask("set confirm off")

    def answer(self) -> list[str]:
        """The lines up to the next prompt."""
        self.child.expect(_PROMPT)
        self.focus = self.child.match.group(1)
        return _lines(self.child.before)

    def ask(self, command: str) -> list[str]:
        """The answer to a command."""
        self.child.sendline(command)
        return self.answer()

    def until(self, text: str) -> list[str]:
        """The lines up to the first with this text."""
        self.child.expect_exact(text)
        return _lines(self.child.before)

    def leave(self) -> int:
        """Quit gdb. Returns the exit status."""
        self.child.sendline("quit")
        return self.end()

    def end(self) -> int:
        """Wait for the end. Returns the exit status, or minus the signal."""
        self.child.expect(pexpect.EOF)
        self.child.wait()
        self.child.close()
        signal = self.child.signalstatus
        return -signal if signal else int(self.child.exitstatus or 0)

    def pids(self) -> list[int]:
        """The ids of the processes that gdb has."""
        return [
            int(pid) for pid in re.findall(r"process (\d+)", "\n".join(self.ask("info inferiors")))
        ]


@contextmanager
def debugging(
    program: Path | Sequence[str],
    mpi: MPI,
    n: int,
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    inside: Callable[[Sequence[str]], list[str]] = list,
) -> Iterator[Debugger]:
    """A session with `n` ranks, which have stopped in `main`.

    Args:
        inside: returns the words with which a command runs on another node.
    """
    gdb_options = shlex.join(["-nx", *(word for one in symbols() for word in ("-iex", one))])
    words = ["-n", str(n), "--mpiexec", shlex.join(mpi.mpiexec), f"--gdb-options={gdb_options}"]
    command = [str(program)] if isinstance(program, Path) else list(program)
    found = Debugger([*words, *options, "--", *command], mpi, env or {}, inside)
    try:
        yield found
    finally:
        found.child.close(force=True)


def is_alive(pid: int) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _lines(text: str) -> list[str]:
    return [
        line.rstrip().expandtabs() for line in text.replace("\r", "\n").split("\n") if line.strip()
    ]
