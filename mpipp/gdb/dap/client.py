# SPDX-License-Identifier: MIT
"""The client of the debug adapter: messages to it, and its console as the session's front."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mpipp.common.text.sanitize import plain
from mpipp.dap import messages
from mpipp.gdb.debug_session import session


def send(message: messages.Message) -> None:
    """Send a message."""
    session.required().required_link().send(message=message)


def send_event(name: str, **body: Any) -> None:
    """Send an event."""
    send(messages.event(name, **body))


def write(lines: Iterable[str], category: str = "console") -> None:
    """Write lines to the client's console."""
    text = "".join(f"{plain(line, chr(9))}\n" for line in lines)
    if text:
        send_event("output", category=category, output=text)


class ConsoleFront:
    """The client's console, as the place to which the session writes. Writing never waits: the
    client can send requests while ranks run."""

    hint = "pause stops the ranks in the focus"
    after_end = ""
    is_closed = False

    def close(self) -> None:
        """Do nothing: requests stay possible."""

    def open(self, lines: Iterable[str]) -> None:
        """Write lines."""
        write(lines)

    def write(self, lines: Iterable[str]) -> None:
        """Write lines."""
        write(lines)
