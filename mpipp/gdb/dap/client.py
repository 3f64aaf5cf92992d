# SPDX-License-Identifier: MIT
"""The sessions of the client: messages to them, and the console of the job's session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mpipp.common.text.sanitize import plain
from mpipp.dap import messages
from mpipp.gdb.debug_session import session


class Client:
    """One session of the client.

    Attributes:
        rank: the rank that the session shows; None for the session of the whole job.
    """

    def __init__(self, rank: int | None = None) -> None:
        self.rank = rank

    def send(self, message: messages.Message) -> None:
        """Send a message."""
        sent = message if self.rank is None else {**message, messages.SESSION: self.rank}
        session.required().required_link().send(message=sent)

    def send_event(self, name: str, **body: Any) -> None:
        """Send an event."""
        self.send(messages.event(name, **body))

    def write(self, lines: Iterable[str], category: str = "console") -> None:
        """Write lines to the console."""
        text = "".join(f"{plain(line, chr(9))}\n" for line in lines)
        if text:
            self.send_event("output", category=category, output=text)


JOB = Client()


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
        JOB.write(lines)

    def write(self, lines: Iterable[str]) -> None:
        """Write lines."""
        JOB.write(lines)
