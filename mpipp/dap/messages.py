# SPDX-License-Identifier: MIT
"""Messages of the Debug Adapter Protocol as bytes."""

from __future__ import annotations

import json
import re
from typing import Any

from mpipp.common.errors import MpippError

Message = dict[str, Any]
# The member of a message between gdb and the adapter that names the rank of a child session.
SESSION = "session"
LEAVE = "leave"  # the request of the adapter to gdb after a child session has ended
_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"(?im)^content-length: *(\d{1,9}) *\r?$")
_LONGEST_HEADER = 4096  # bytes
_LONGEST = 1 << 26


def encoded(message: Message) -> bytes:
    """A message with its header."""
    # Python decodes bytes of file names that are not UTF-8 as halves of surrogates, which json
    # escapes.
    text = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(text), text)


class MessageReader:
    """Divides the input from a client into messages."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Message]:
        """The messages that have become complete.

        Raises MpippError if the client does not speak the protocol.
        """
        self._rest += data
        found: list[Message] = []
        while _END in self._rest:
            header, _, rest = self._rest.partition(_END)
            length = _LENGTH.search(header)
            if length is None or int(length[1]) > _LONGEST:
                raise MpippError("the client sent a header without a valid Content-Length")
            if len(rest) < int(length[1]):
                return found
            found.append(_decoded(rest[: int(length[1])]))
            self._rest = rest[int(length[1]) :]
        if len(self._rest) > _LONGEST_HEADER:
            raise MpippError("the client sent a header without a valid Content-Length")
        return found


def _decoded(text: bytes) -> Message:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise MpippError("the client sent a message that is not JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("seq"), int):
        raise MpippError("the client sent a message without a number")
    return message


def event(name: str, **body: Any) -> Message:
    """An event."""
    return {"type": "event", "event": name, "body": body}


def response(request: Message, body: Message | None = None) -> Message:
    """The response to a request."""
    command, number = request.get("command", ""), request["seq"]
    found = {"type": "response", "request_seq": number, "success": True, "command": command}
    return found if body is None else {**found, "body": body}


def failure(request: Message, sentence: str) -> Message:
    """The response to a request that cannot be fulfilled."""
    # A sentence may have braces, which would be names of variables in a format.
    error = {"id": 1, "format": "{sentence}", "variables": {"sentence": sentence}}
    body = {"error": {**error, "showUser": True}}
    return {**response(request, body), "success": False, "message": sentence}


def session_request(rank: int) -> Message:
    """The request to the client to start a session for a rank."""
    configuration = {"type": "mpipp", "name": f"rank {rank}", "rank": rank}
    arguments = {"request": "attach", "configuration": configuration}
    return {"type": "request", "command": "startDebugging", "arguments": arguments}
