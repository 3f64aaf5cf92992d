# SPDX-License-Identifier: MIT
"""A session of `mpipp dap` with the tests' own client."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.dap.client import Adapter, Body
from tests.support import MPI, ROOT, clean_environment, symbols

PROGRAMS = Path(__file__).parent / "programs"
_PATIENCE = 60.0  # seconds: the machine may be busy


class Session(Adapter):
    """A client with helpers for frequent sequences of requests.

    Attributes:
        process: the process of `mpipp dap`.
    """

    def __init__(self, process: subprocess.Popen[bytes], mpi: MPI) -> None:
        super().__init__(process)
        self.process, self._mpi = process, mpi

    def launch(self, program: Path | str, ranks: int, **settings: Any) -> int:
        """Send `launch`, and wait for `initialized`; returns the request's number."""
        number = self.send(
            "launch",
            program=str(program),
            ranks=ranks,
            mpiexec=shlex.join(self._mpi.mpiexec),
            gdbOptions=gdb_options(),
            **settings,
        )
        self.event("initialized")
        return number

    def lines(self, path: Path, *lines: int | Mapping[str, Any]) -> list[Body]:
        """Set breakpoints in a file, at lines or with more properties."""
        wanted = [{"line": one} if isinstance(one, int) else one for one in lines]
        found = self.ask("setBreakpoints", source={"path": str(path)}, breakpoints=wanted)
        return list(found["breakpoints"])

    def begin(self, number: int) -> None:
        """Let the ranks begin, and wait for the response to `launch`."""
        self.ask("configurationDone")
        self.response(number)

    def threads(self) -> dict[int, str]:
        """Return the names of the threads by number."""
        return {one["id"]: one["name"] for one in self.ask("threads")["threads"]}

    def all_stopped(self) -> Body:
        """Wait until all ranks have stopped, and return the body of the last event."""
        return self.event("stopped", allThreadsStopped=True)

    def frames(self, thread: int) -> list[Body]:
        """Return the stack of a thread."""
        return list(self.ask("stackTrace", threadId=thread)["stackFrames"])

    def program_frame(self, thread: int) -> Body:
        """Return the first frame in the user's program, which a client selects."""
        return next(one for one in self.frames(thread) if one.get("presentationHint") != "subtle")

    def locals(self, frame: int, scope: str = "Locals") -> dict[str, Body]:
        """Return the variables of a scope."""
        scopes = self.ask("scopes", frameId=frame)["scopes"]
        reference = next(one["variablesReference"] for one in scopes if one["name"] == scope)
        return self.variables(reference)

    def leave(self) -> int:
        """Disconnect, and return the server's exit status."""
        self.ask("disconnect")
        return self.process.wait(_PATIENCE)


def gdb_options() -> str:
    """Return options that keep gdb from reading the user's settings."""
    return shlex.join(["-nx", *(word for one in symbols() for word in ("-iex", one))])


@contextmanager
def serving(
    mpi: MPI, env: Mapping[str, str] | None = None, starts_sessions: bool = False
) -> Iterator[Session]:
    """Yield a session whose server has answered `initialize`.

    Args:
        starts_sessions: whether the client starts sessions on request.
    """
    with subprocess.Popen(
        command(),
        env=environment(mpi, env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        session = Session(process, mpi)
        try:
            capabilities = {"supportsStartDebuggingRequest": starts_sessions}
            session.ask("initialize", adapterID="mpipp", linesStartAt1=True, **capabilities)
            yield session
        finally:
            if process.stdin:
                process.stdin.close()
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def command() -> Sequence[str]:
    """Return the command that starts the server."""
    return [sys.executable, "-m", "mpipp.cli", "dap"]


def environment(mpi: MPI, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of the server."""
    own = clean_environment(PYTHONPATH=str(ROOT), DEBUGINFOD_URLS="")
    return {**own, **mpi.env, **(more or {})}
