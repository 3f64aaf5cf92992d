# SPDX-License-Identifier: MIT
"""Messages of a watcher to `mpipp run` in the job's error output, between nodes without a shared
directory.

A message is compressed and divided into lines. Launchers forward the lines of several nodes to one
stream, and may cut a node's output where they like: each line has a checksum.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import fcntl
import json
import os
import re
import stat
import struct
import termios
import time
import zlib
from typing import Any, NamedTuple

FILE = "file"  # member with the name of a file of the run's directory; CONTENT has its bytes
CONTENT = "content"
MOST_FILE = 1 << 20  # bytes of a file that a watcher sends

_NAME = b"mpipp-message "
_LINE = re.compile(
    _NAME + rb"(?P<token>\w+) (?P<node>[\w.-]+) (?P<number>\d{1,9}) (?P<part>\d{1,9})/"
    rb"(?P<parts>\d{1,9}) (?P<sum>[0-9a-f]{8}) (?P<data>[\w+/=]*)\r?$"
)
_PART = 1400  # bytes of a part: Open MPI's launcher reads 2,048 bytes of a pipe at once
_MOST = 1 << 26  # bytes of a message
_DRAIN = 2.0  # seconds for the launcher to read a line
_STEP = 0.001


class Sender:
    """Writes messages to an error stream.

    Args:
        stream: the file descriptor.
        token: the run's token, which `mpipp run` has made.
        node: the name of this node's watcher.
    """

    def __init__(self, stream: int, token: str, node: str) -> None:
        self._stream, self._token, self._node = stream, token, node
        self._number = 0

    def send(self, message: dict[str, Any]) -> None:
        """Write one message. Raises OSError."""
        data = zlib.compress(json.dumps(message).encode())
        parts = [data[at : at + _PART] for at in range(0, len(data), _PART)]
        self._number += 1
        for number, part in enumerate(parts):
            text = base64.b64encode(part)
            head = f"{self._token} {self._node} {self._number} {number}/{len(parts)}"
            line = b"%b%b %08x %b\n" % (_NAME, head.encode(), binascii.crc32(part), text)
            # A line that is alone in the pipe reaches the launcher in one piece.
            self._await_empty_pipe()
            os.write(self._stream, line)

    def _await_empty_pipe(self) -> None:
        until = time.monotonic() + _DRAIN
        with contextlib.suppress(OSError):
            while stat.S_ISFIFO(os.fstat(self._stream).st_mode) and time.monotonic() < until:
                if not struct.unpack("i", fcntl.ioctl(self._stream, termios.FIONREAD, bytes(4)))[0]:
                    return
                time.sleep(_STEP)


class Received(NamedTuple):
    """The two parts of a piece of the job's error output."""

    output: bytes  # the output of the program and the launcher
    messages: list[tuple[str, dict[str, Any]]]  # each with the name of its node's watcher


class Receiver:
    """Separates the messages in the job's error output from the program's own output.

    Attributes:
        damaged: the names of nodes with messages that did not arrive as they were sent.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._rest = b""
        self._parts: dict[tuple[str, int], dict[int, bytes]] = {}
        self.damaged: set[str] = set()

    def feed(self, data: bytes, is_end: bool = False) -> Received:
        """Take the next piece of the output."""
        output, messages = [], []
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            at = line.find(_NAME + self._token)
            if at < 0:
                output.append(line + b"\n")
                continue
            output.append(_before(line[:at]))
            if (message := self._message(line[at:])) is not None:
                messages.append(message)
        # The program may wait for an answer to an unfinished line, so it is not kept back.
        if is_end or (_NAME not in self._rest and not _ends_with_start(self._rest)):
            output.append(self._rest)
            self._rest = b""
        if is_end:
            self.damaged.update(node for node, _ in self._parts)
        return Received(b"".join(output), messages)

    def _message(self, line: bytes) -> tuple[str, dict[str, Any]] | None:
        found = _LINE.match(line)
        if found is None or found["token"] != self._token:
            self.damaged.add("")
            return None
        node, number = found["node"].decode(), int(found["number"])
        try:
            part = base64.b64decode(found["data"], validate=True)
        except ValueError:
            part = b""
        if binascii.crc32(part) != int(found["sum"], 16):
            self.damaged.add(node)
            return None
        parts = self._parts.setdefault((node, number), {})
        parts[int(found["part"])] = part
        if len(parts) < int(found["parts"]):
            return None
        del self._parts[node, number]
        try:
            opened = zlib.decompressobj().decompress(
                b"".join(parts[n] for n in sorted(parts)), _MOST
            )
            message = json.loads(opened)
        except (ValueError, zlib.error, RecursionError):
            self.damaged.add(node)
            return None
        return (node, message) if isinstance(message, dict) else None


def _before(text: bytes) -> bytes:
    # The text before a message in its line: the launcher's label of a rank, or an unfinished line
    # of the program.
    return b"" if re.fullmatch(rb"\s*(\[[^\]]*\]|\w+:)?(<\w+>:?)?\s*", text) else text + b"\n"


def _ends_with_start(text: bytes) -> bool:
    return any(text.endswith(_NAME[:length]) for length in range(1, len(_NAME)))
