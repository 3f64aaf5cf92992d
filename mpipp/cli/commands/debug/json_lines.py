# SPDX-License-Identifier: MIT
"""Messages between processes of `mpipp debug`. Each message is a line with a JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def line(message: Mapping[str, Any]) -> bytes:
    """Return a message as the bytes that are sent."""
    return json.dumps(dict(message)).encode() + b"\n"


class Messages:
    """Joins received parts to whole lines."""

    def __init__(self) -> None:
        self._rest = b""

    def complete(self, data: bytes) -> list[dict[str, Any]]:
        """Return the messages that end in this part. Raises ValueError for lines that
        are not JSON."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(one) for one in lines]
