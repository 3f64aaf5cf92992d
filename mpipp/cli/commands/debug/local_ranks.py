# SPDX-License-Identifier: MIT
"""The ranks of a debugged job on this node, which wait before `main`, and their output
and input."""

from __future__ import annotations

import contextlib
import os
import selectors
from collections.abc import Callable, Sequence

from mpipp.cli.commands.debug.held_ranks import HeldRank, HeldRanks
from mpipp.cli.commands.debug.output_lines import LineReader

_MOST = 1 << 16
Show = Callable[[Sequence[str]], None]


class LocalRanks:
    """The ranks of one node.

    Args:
        path: the socket at which the ranks wait.
        stdin_rank: the rank that reads the user's input.
        selector: holds in `data` the function to call when a file can be read.
        held: is called with each rank that waits.
        show: is called with lines of output.

    Attributes:
        debugger: the process ID that the ranks allow to attach; -1: any process of the user.
    """

    def __init__(
        self,
        path: str,
        stdin_rank: int,
        selector: selectors.DefaultSelector,
        held: Callable[[HeldRank], None],
        show: Show,
    ) -> None:
        self._stdin_rank, self._selector = stdin_rank, selector
        self._held, self._show = held, show
        self._ranks = HeldRanks(path)
        self._readers: dict[int, LineReader] = {}  # by file descriptor
        self._input = -1
        self.debugger = 0
        self._register(self._ranks.listener.fileno(), self._accept)

    @property
    def has_output(self) -> bool:
        """Return whether a process may still write."""
        return bool(self._readers)

    def release(self) -> None:
        """Let the ranks that wait begin."""
        self._ranks.release()

    def kill(self) -> None:
        """End all processes."""
        self._ranks.kill()

    def close(self) -> None:
        """Close the files for the ranks' output and input."""
        for reader in list(self._readers.values()):
            self._close(reader)
        self.end_input()

    def pass_input(self, line: str) -> None:
        """Pass a line to the rank that reads the input, if this rank is on this node."""
        if self._input >= 0:
            with contextlib.suppress(OSError):
                os.write(self._input, line.encode() + b"\n")

    def end_input(self) -> None:
        """Close the input of the rank that reads it."""
        if self._input >= 0:
            os.close(self._input)
            self._input = -1

    def read(self, descriptor: int, label: str, show: Show | None = None) -> None:
        """Show the output that arrives at a file descriptor, and close the descriptor
        at the end."""
        reader = self._readers[descriptor] = LineReader(descriptor, label, show or self._show)

        def go_on() -> None:
            lines = reader.read()
            if lines is not None:
                reader.show(lines)
                return
            rest = reader.rest(is_end=True)
            self._close(reader)
            reader.show(rest)

        self._register(descriptor, go_on)

    def show_rests(self) -> None:
        """Show output of ranks that has waited for its newline for a while."""
        for reader in list(self._readers.values()):
            reader.show(reader.rest())

    def drain(self) -> None:
        """Read the output of ranks and drop it."""
        for reader in list(self._readers.values()):
            os.set_blocking(reader.descriptor, False)
            with contextlib.suppress(OSError):
                os.read(reader.descriptor, _MOST)

    def _register(self, descriptor: int, action: Callable[[], None]) -> None:
        self._selector.register(descriptor, selectors.EVENT_READ, action)

    def _accept(self) -> None:
        held = self._ranks.accept(self.debugger, self._stdin_rank)
        if held is None:
            return
        if held.is_spawned:
            said = f"process {held.pid} from MPI_Comm_spawn runs without this gdb"
            self._show([f"{said}: attach to it in another one, with mpipp attach {held.pid}"])
            return
        self.read(held.output, f"rank {held.rank}" if held.rank >= 0 else f"process {held.pid}")
        if held.input >= 0:
            self._input = held.input
        self._held(held)

    def _close(self, reader: LineReader) -> None:
        if self._readers.pop(reader.descriptor, None) is not None:
            self._selector.unregister(reader.descriptor)
            os.close(reader.descriptor)
