# SPDX-License-Identifier: MIT
"""Messages of watchers in the error output of a job."""

from __future__ import annotations

import os
import random
from typing import Any

from mpipp.watcher.ipc.stderr_messages import Receiver, Sender

TOKEN = "5ec4e7"


def sent(*messages: dict[str, Any], node: str = "node1-7") -> bytes:
    """The bytes that a watcher writes for these messages."""
    end, start = os.pipe()
    sender = Sender(start, TOKEN, node)
    written = b""
    for message in messages:
        sender.send(message)
        written += os.read(end, 1 << 16)
    os.close(start)
    os.close(end)
    return written


def test_messages_of_two_nodes_in_the_output_of_a_program() -> None:
    """The output may arrive in pieces of any size, and launchers write labels before lines."""
    small, large = {"block": "error: \u00e9\n", "findings": []}, {"file": os.urandom(900).hex()}
    one, other = sent(small), sent(large, small, node="node2-9")
    assert other.count(b"\n") == 2
    lines = [b"begin\n", *one.splitlines(True), b"[1] " + other.splitlines(True)[0], b"mpipp-mess"]
    written = b"".join([*lines, b"age of mine\nunfinished ", other.splitlines(True)[1], b"end"])
    for seed in range(20):
        chance, receiver = random.Random(seed), Receiver(TOKEN)
        output, at = b"", 0
        messages: list[tuple[str, dict[str, Any]]] = []
        while at < len(written):
            size = chance.choice((1, 7, 100, 5000))
            done = receiver.feed(written[at : at + size])
            output, messages, at = output + done.output, messages + done.messages, at + size
        output += receiver.feed(b"", is_end=True).output
        assert output == b"begin\nmpipp-message of mine\nunfinished \nend"
        assert messages == [("node1-7", small), ("node2-9", large), ("node2-9", small)]
        assert not receiver.damaged


def test_an_unfinished_line_of_the_program_is_not_kept_back() -> None:
    receiver = Receiver(TOKEN)
    assert receiver.feed(b"name? ").output == b"name? "


def test_damaged_messages_are_counted_and_dropped() -> None:
    written = sent({"block": "error"})
    for at in range(len(written) - 1):
        receiver = Receiver(TOKEN)
        changed = written[:at] + bytes([written[at] ^ 1]) + written[at + 1 :]
        found = receiver.feed(changed, is_end=True)
        assert not found.messages or found.messages[0][1] == {"block": "error"}
        assert found.messages or receiver.damaged or found.output == changed
    receiver = Receiver("0ther")
    assert receiver.feed(written).output == written
