# SPDX-License-Identifier: MIT
"""One debugged job: its launcher, its ranks, their output and input.

On each other node, an agent holds the ranks. The launcher's output contains the names of these
nodes (mpipp/watcher/ipc/launch.py).
"""

from __future__ import annotations

import os
import selectors
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mpipp.cli.commands.debug import launcher
from mpipp.cli.commands.debug.held_ranks import HeldRank
from mpipp.cli.commands.debug.local_ranks import LocalRanks
from mpipp.cli.commands.debug.remote_node import RemoteNode
from mpipp.common.errors import MpippError
from mpipp.toolchain import remote_shell
from mpipp.toolchain.preload import prefix
from mpipp.watcher.ipc import launch


class Events(NamedTuple):
    """Functions that a job calls.

    Attributes:
        held: is called when a rank waits for the debugger.
        output: is called with lines that ranks or the launcher have written.
        ended: is called with the launcher's exit status when the launcher has ended.
        failed: is called with the reason, a sentence, if the job cannot start.
    """

    held: Callable[[HeldRank], None]
    output: Callable[[Sequence[str]], None]
    ended: Callable[[int], None]
    failed: Callable[[str], None]


class Start(NamedTuple):
    """The start of a job.

    Attributes:
        command: the launcher's words, with the program's.
        variables: additions to the environment.
        directory: the working directory; None: this process's.
        shell: the words of the remote shell (mpipp.toolchain.remote_shell); (): the default.
    """

    command: Sequence[str]
    variables: Mapping[str, str]
    directory: str | None = None
    shell: Sequence[str] = ()


class Job:
    """A job that can be started again.

    Args:
        path: the socket at which ranks wait.
        start: how the launcher is started.
        stdin_rank: the rank that reads the user's input.
        selector: holds in `data` the function to call when a file can be read.
    """

    def __init__(
        self,
        path: str,
        start: Start,
        stdin_rank: int,
        selector: selectors.DefaultSelector,
        events: Events,
    ) -> None:
        self._start, self._selector, self._events = start, selector, events
        self._ranks = LocalRanks(path, stdin_rank, selector, events.held, self._show)
        self._nodes: dict[str, RemoteNode] = {}  # other nodes, by name
        self._node_arguments = (path, str(stdin_rank))
        self._mark = f"{launch.NODE_OF}{path} "
        self._launcher: subprocess.Popen[bytes] | None = None
        self._is_ending = False  # hide the launcher's output about an end that the user requested
        self._is_detached = False

    @property
    def debugger(self) -> int:
        """The process ID that the ranks allow to attach."""
        return self._ranks.debugger

    @debugger.setter
    def debugger(self, pid: int) -> None:
        self._ranks.debugger = pid

    @property
    def is_detached(self) -> bool:
        """Return whether the debugger has detached."""
        return self._is_detached

    def detach(self) -> None:
        """Note that the debugger has detached."""
        self._is_detached = True
        self._send(detach=True)

    def start(self) -> None:
        """Start the launcher. Raises MpippError."""
        self._is_detached = self._is_ending = False
        command, variables, directory, _ = self._start
        self._launcher = launcher.start(command, variables, directory)
        assert self._launcher.stdout is not None
        output = os.dup(self._launcher.stdout.fileno())
        self._launcher.stdout.close()
        self._ranks.read(output, "launcher", self._show_launcher)

    def release(self) -> None:
        """Let the ranks that wait begin."""
        self._ranks.release()
        self._send(release=True)

    def end(self) -> None:
        """End all processes of the job."""
        self._is_ending = True
        self._ranks.kill()
        nodes, self._nodes = self._nodes, {}
        for node in nodes.values():
            node.close()
        if self._launcher is not None:
            launcher.end(self._launcher, self._ranks.drain)
            self._launcher = None
        self._ranks.close()

    def pass_input(self, line: str) -> None:
        """Pass a line to the rank that reads the input."""
        self._ranks.pass_input(line)
        self._send(input=line)

    def end_input(self) -> None:
        """Close the input of the rank that reads it."""
        self._ranks.end_input()
        self._send(end_input=True)

    @property
    def is_running(self) -> bool:
        """Return whether the launcher runs, or ranks may still write."""
        return (
            self._has_launcher
            or self._ranks.has_output
            or any(node.is_connected for node in self._nodes.values())
        )

    @property
    def status(self) -> int:
        """Return the exit status of the launcher."""
        status = self._launcher.returncode if self._launcher is not None else 0
        return status if status >= 0 else 128 - status

    def look(self) -> None:
        """Show output without a newline after a while, and report the end of the job."""
        self._ranks.show_rests()
        if self._launcher is None or self._has_launcher:
            return
        self._send(finish=True)
        if self.is_running:
            return
        status = self.status
        if not self.is_detached:
            self._launcher = None
        self._events.ended(status)

    @property
    def _has_launcher(self) -> bool:
        return self._launcher is not None and self._launcher.poll() is None

    def _send(self, **message: object) -> None:
        for node in self._nodes.values():
            node.send(message)

    def _show_launcher(self, lines: Sequence[str]) -> None:
        for line in lines:
            _, mark, node = line.partition(self._mark)
            if mark:
                self._add_node(node.strip())
        self._show([line for line in lines if self._mark not in line])

    def _add_node(self, name: str) -> None:
        if name in self._nodes or self._is_ending:
            return
        try:
            shell = self._start.shell or remote_shell.words(None)
            agent = RemoteNode(name, shell, self._node_arguments, self._selector)
        except MpippError as error:
            self._fail(str(error))
            return
        agent.listen(self._events.held, self._show, self._fail)
        self._nodes[name] = agent

    def _fail(self, sentence: str) -> None:
        self.end()
        self._events.failed(sentence)

    def _show(self, lines: Sequence[str]) -> None:
        if lines and not self._is_ending:
            self._events.output(lines)


def listen(selector: selectors.DefaultSelector, seconds: float) -> None:
    """Wait for files that can be read, and call the function of each."""
    for key, _ in selector.select(seconds):
        # An earlier function may have closed the file, and opened another one with its number.
        if selector.get_map().get(key.fd) is key:
            key.data()


def held(wrapper: str, path: str) -> tuple[list[str], dict[str, str]]:
    """The words before a program whose ranks are held, and the launcher's additional variables.

    Processes from MPI_Comm_spawn inherit the variables, and report that they have started.

    Args:
        wrapper: the path of the recorder.
        path: of the socket at which the ranks wait.
    """
    own = {launch.HOLD: path}
    libraries = [*launch.libraries(wrapper, own), os.environ.get("LD_PRELOAD")]
    loaded = ":".join(filter(None, libraries))
    return prefix(wrapper, own), {"LD_PRELOAD": loaded, launch.HOLD_SPAWNED: path}


def run_directory() -> str:
    """Make a directory for a job's sockets, with the same path on all nodes, and return the path.

    The directory is in /tmp because the user's own directory, XDG_RUNTIME_DIR, may not exist on
    other nodes.
    """
    return tempfile.mkdtemp(prefix="mpipp-", dir="/tmp")
