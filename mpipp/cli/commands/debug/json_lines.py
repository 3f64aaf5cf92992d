# SPDX-License-Identifier: MIT
"""Messages between processes of `mpipp debug`: JSON objects, one a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def line(message: Mapping[str, Any]) -> bytes:
    """A message as it is sent."""
    return json.dumps(dict(message)).encode() + b"\n"


class Messages:
    """Puts lines together of the parts in which they come."""

    def __init__(self) -> None:
        self._rest = b""

    def complete(self, data: bytes) -> list[dict[str, Any]]:
        """The messages that are complete with this part. Raises ValueError for other lines."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(one) for one in lines]
