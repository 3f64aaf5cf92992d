# SPDX-License-Identifier: MIT
"""A gdb that is controlled through its machine interface (MI), like front ends do."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

_DONE = ("^done", "^error", "^running")


class Machine:
    """gdb's machine interface."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, command: str) -> str:
        """The result record of a command, after any other output."""
        assert self._process.stdin
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        return self.read(*_DONE)

    def run(self, command: str) -> str:
        """The record of the stop after a command, after any other output."""
        return self.ask(command) + self.read("*stopped")

    def values(self, name: str, start: int = -1, stop: int = -1) -> dict[str, str]:
        """The children [start, stop) of a variable object, by default all: values by name."""
        bounds = "" if start < 0 else f" {start} {stop}"
        answer = self.ask(f'-var-list-children --all-values "{name}"{bounds}')
        pairs = re.findall(r',exp="(.*?)",numchild="\d+",value="(.*?)",type=', answer)
        return {child: value.replace('\\"', '"') for child, value in pairs}

    def read(self, *begins: str) -> str:
        """gdb's output up to a line with this start."""
        assert self._process.stdout
        text = ""
        for line in self._process.stdout:
            text += line
            if line.startswith(begins):
                return text
        raise AssertionError(f"gdb ended: {text}")


@contextmanager
def stopped(
    words: Sequence[str], function: str, env: Mapping[str, str], up: int = 1
) -> Iterator[Machine]:
    """A gdb that was started by these words. Its program stopped in a function, `up` frames above
    it."""
    with subprocess.Popen(
        [*words[:1], "--interpreter=mi3", *words[1:]],
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        machine = Machine(process)
        try:
            machine.ask("-enable-pretty-printing")
            machine.ask(f"-break-insert -f {function}")
            machine.run("-exec-run")
            machine.ask(f"-stack-select-frame {up}")
            yield machine
        finally:
            process.kill()
