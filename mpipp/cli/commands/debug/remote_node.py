# SPDX-License-Identifier: MIT
"""Another node of a debugged job, where a remote shell runs mpipp's agent."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mpipp.cli.commands.debug import json_lines
from mpipp.cli.commands.debug.held_ranks import HeldRank
from mpipp.common.errors import MpippError
from mpipp.toolchain import remote_shell

_AGENT = "mpipp.cli.commands.debug.node_agent"
_MOST = 1 << 16
_PATIENCE = 5.0  # seconds that the agent gets to end after its input was closed


class RemoteNode:
    """A node other than this one.

    Args:
        name: the name of the node.
        shell: the words of the remote shell (mpipp.toolchain.remote_shell).
        arguments: the arguments of the agent.
        selector: holds in `data` the function to call when a file can be read.

    Raises MpippError if the remote shell cannot be started.
    """

    def __init__(
        self,
        name: str,
        shell: Sequence[str],
        arguments: Sequence[str],
        selector: selectors.DefaultSelector,
    ) -> None:
        self._name, self._shell, self._selector = name, shell, selector
        self._messages = json_lines.Messages()
        self._gdbserver = ""
        words = remote_shell.on_node(shell, name, remote_shell.python(_AGENT, *arguments))
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._agent = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,  # control-C in the terminal does not reach it
            )
        except OSError as error:
            raise MpippError(f"cannot start {words[0]}: {error.strerror}") from None
        self._is_read = False

    def listen(
        self,
        held: Callable[[HeldRank], None],
        show: Callable[[Sequence[str]], None],
        fail: Callable[[str], None],
    ) -> None:
        """Read the agent's messages, and call a function for each.

        Args:
            held: is called with a rank that waits.
            show: is called with lines of output.
            fail: is called with a sentence if the node cannot be used.
        """
        self._held, self._show, self._fail = held, show, fail
        self._is_read = True
        self._selector.register(self._output, selectors.EVENT_READ, self._hear)

    @property
    def is_connected(self) -> bool:
        """Return whether the agent may still send messages."""
        return self._is_read

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message to the agent."""
        assert self._agent.stdin is not None
        with contextlib.suppress(OSError):  # the agent has ended
            os.write(self._agent.stdin.fileno(), json_lines.line(message))

    def close(self) -> None:
        """Let the agent end. The agent ends its ranks as well, unless the debugger has detached."""
        assert self._agent.stdin is not None and self._agent.stdout is not None
        self._forget()
        self._agent.stdin.close()
        self._agent.stdout.close()  # otherwise the agent may wait until its output is read
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._agent.wait(_PATIENCE)
        if self._agent.poll() is None:
            self._agent.kill()
            self._agent.wait()
        self._errors.close()

    @property
    def _output(self) -> int:
        assert self._agent.stdout is not None
        return self._agent.stdout.fileno()

    def _forget(self) -> None:
        if self._is_read:
            self._selector.unregister(self._output)
            self._is_read = False

    def _hear(self) -> None:
        data = os.read(self._output, _MOST)
        if not data:
            self._forget()
            if not self._gdbserver:
                self._fail(self._reason())
            return
        try:
            messages = self._messages.complete(data)
        except ValueError:
            self._fail(f"{self._shell[0]} writes lines of its own on {self._name}")
            return
        for message in messages:
            self._take(message)

    def _take(self, message: Mapping[str, Any]) -> None:
        word, value = next(iter(message.items()))
        if word == "output":
            self._show(value)
        elif word == "held":
            pid, rank, size = value
            self._held(HeldRank(pid, rank, size, -1, -1, self._gdbserver))
        elif word == "ready" and not value:
            self._fail(remote_shell.without_gdbserver(self._name))
        elif word == "ready":
            command = [str(value), *remote_shell.GDBSERVER]
            self._gdbserver = shlex.join(remote_shell.on_node(self._shell, self._name, command))

    def _reason(self) -> str:
        self._agent.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        said = f": {lines[-1]}" if lines else ""
        return (
            f"cannot run mpipp on {self._name} by {self._shell[0]} "
            f"(exit status {self._agent.returncode}){said}"
        )
