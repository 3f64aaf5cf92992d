# SPDX-License-Identifier: MIT
"""The launcher, `mpipp run`, as a source of messages to the watcher."""

from __future__ import annotations

from mpipp.watcher.ipc.protocol import INTERRUPTED
from mpipp.watcher.output.channel import Output


class Launcher:
    """The state of the launcher.

    Args:
        output: the connection to the launcher, if it is on this node.
        is_expected: True if the user started the program with `mpipp run`.
    """

    def __init__(self, output: Output, is_expected: bool) -> None:
        self._output = output
        self._is_expected = is_expected
        self.is_interrupted = False  # whether the user pressed Ctrl-C
        self.has_ended = False

    def receive(self) -> None:
        """Read one message, or the end of the connection."""
        if self._output.receive() == INTERRUPTED:
            self.is_interrupted = True
        else:
            self.has_ended = True

    @property
    def may_interrupt(self) -> bool:
        """Return whether the launcher may still report that the user ended the program."""
        return self._is_expected and not (self.is_interrupted or self.has_ended)

    @property
    def is_on_node(self) -> bool:
        """Return whether the watcher is connected to a launcher."""
        return self._output.has_launcher
