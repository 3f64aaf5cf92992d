# SPDX-License-Identifier: MIT
"""The output of commands with `--json`: one JSON object for each command.

The schema is in docs/reference/json.md. Numbers for memory are in bytes. Within one `version`,
members are only added, never changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mpipp.common.text.sanitize import CONTROL
from mpipp.datatypes.element_address import Element, kind

VERSION = 1


def document(command: str, content: Mapping[str, Any]) -> str:
    """The line that `command` ("match", "check" ...) prints."""
    head = {"mpipp": VERSION, "command": command}
    return printable(json.dumps({**head, **content}, ensure_ascii=False))


def printable(text: str) -> str:
    """JSON with the same value, without control characters that a terminal would obey."""
    return CONTROL.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[0] in "\t\r\n" else f"\\u{ord(found[0]):04x}"


def element(found: Element) -> dict[str, Any]:
    """An element by its address, basic type, displacement and packed position."""
    return {
        "address": found.path,
        "type": found.datatype.name or kind(found.datatype),
        "displacement": found.displacement,
        "packed": found.packed,
        "size": found.size,
    }
