# SPDX-License-Identifier: MIT
"""Messages are bytes with a header."""

from __future__ import annotations

import pytest

from mpipp.common.errors import MpippError
from mpipp.dap import messages
from mpipp.dap.messages import MessageReader


def test_messages_come_in_any_pieces() -> None:
    sent = [{"seq": 1, "command": "a"}, {"seq": 2, "text": "ä\ud800"}]
    data = b"".join(map(messages.encoded, sent))
    assert MessageReader().feed(data) == sent
    for size in (1, 7, 40):
        reader = MessageReader()
        pieces = (data[i : i + size] for i in range(0, len(data), size))
        assert [one for piece in pieces for one in reader.feed(piece)] == sent


def test_other_headers_are_passed_over() -> None:
    data = b'Content-Type: x\r\ncontent-length: 9\r\n\r\n{"seq":1}'
    assert MessageReader().feed(data) == [{"seq": 1}]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "the client sent a header without a valid Content-Length"),
        (b"x" * 5000, "the client sent a header without a valid Content-Length"),
        (b"Content-Length: 999999999\r\n\r\n", "the client sent a header without a valid Con"),
        (b"Content-Length: 1\r\n\r\n{", "the client sent a message that is not JSON"),
        (b"Content-Length: 2\r\n\r\n[]", "the client sent a message without a number"),
        (b"Content-Length: 2\r\n\r\n{}", "the client sent a message without a number"),
    ],
)
def test_another_protocol_is_a_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(MpippError) as caught:
        MessageReader().feed(data)
    assert str(caught.value).startswith(sentence)


def test_a_failure_keeps_braces() -> None:
    found = messages.failure({"seq": 3, "command": "evaluate"}, "no {x}")
    assert (found["success"], found["message"], found["request_seq"]) == (False, "no {x}", 3)
    assert found["body"]["error"]["format"] == "{sentence}"
    assert found["body"]["error"]["variables"] == {"sentence": "no {x}"}
