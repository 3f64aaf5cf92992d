# SPDX-License-Identifier: MIT
"""A real gdb, stopped in programs/browse.c, with a browser's tree."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests import support

PROGRAM = Path(__file__).parent / "programs" / "browse.c"
WAIT = 60.0  # seconds to wait for anything on a busy machine
_MARKER = "---8<---"


class Gdb:
    """A gdb with its input in a pipe, so that its event loop runs between commands."""

    def __init__(
        self,
        *commands: str,
        arguments: tuple[str, ...] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        mpi = support.find_mpi("openmpi4")
        program = support.compile_program(PROGRAM, mpi)
        self.process = subprocess.Popen(
            [*support.gdb_words(mpi), "--args", str(program), *arguments],
            env={**mpi.env, **(env or {})},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.say("break mark", "run", "up")
        self.output = self.say(*commands)

    def __enter__(self) -> Gdb:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.send("kill", "quit")
            try:
                self.process.wait(WAIT)
            except subprocess.TimeoutExpired:
                self.process.kill()

    def send(self, *commands: str) -> None:
        """Type commands without waiting for them."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{command}\n" for command in commands))
        self.process.stdin.flush()

    def say(self, *commands: str) -> str:
        """The output of gdb for commands."""
        self.send(*commands, f"echo {_MARKER}\\n")
        output = ""
        while _MARKER not in output:
            output += self._lines.get(timeout=WAIT)
        return output.partition(_MARKER)[0].replace("(gdb) ", "")

    def interrupt(self) -> None:
        """Stop the running program."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        os.kill(int(Path(children).read_text().split()[-1]), signal.SIGINT)

    @property
    def path(self) -> Path:
        """The path of the socket."""
        answer = "python print(mpipp.gdb.browser_server.open_client._browsed.server.path)"
        return Path(
            self.say("python import mpipp.gdb.browser_server.open_client", answer).split()[-1]
        )

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)


class Peer:
    """A browser that speaks the protocol by hand."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(WAIT)
        self._socket.connect(str(path))
        self._file = self._socket.makefile("rwb")
        self.events = [self.receive()]

    def send(self, text: str) -> None:
        """Send a line."""
        self._file.write(text.encode() + b"\n")
        self._file.flush()

    def receive(self) -> Any:
        """The next message; None when the connection has ended."""
        line = self._file.readline()
        return json.loads(line) if line else None

    def ask(self, **request: object) -> Any:
        """The reply to a request. Events before it are stored in `events`."""
        self.send(json.dumps({"id": 7, **request}))
        while True:
            message = self.receive()
            if "event" not in message:
                assert message.pop("id") == 7
                return message
            self.events.append(message)

    def lines(self, *path: int, start: int = 0, stop: int = 1000) -> list[tuple[Any, ...]]:
        """The parts below a path: name, value, type, displacement, size, number of parts."""
        request: dict[str, Any] = {"path": path, "start": start, "stop": stop}
        while (reply := self.ask(do="children", **request)).get("busy"):
            pass  # gdb gave no answer in time, on a busy machine
        keys = ("name", "value", "type", "displacement", "size", "parts")
        return [tuple(line[key] for key in keys) for line in reply["lines"]]

    def close(self) -> None:
        """Close the connection."""
        self._file.close()
        self._socket.close()


def until(condition: Callable[[], object]) -> None:
    """Wait until the condition is true."""
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
