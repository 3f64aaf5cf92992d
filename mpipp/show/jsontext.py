# SPDX-License-Identifier: MIT
"""What commands print with `--json`: one JSON object a command, for editors and scripts.

The schema stands in docs/json.md. Numbers are in bytes where they measure memory; members are only
ever added within one `version`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mpipp.datatypes.elements import Element, kind

VERSION = 1

# What JSON leaves as it is and a terminal obeys, and halves of surrogates, which nothing can write.
_CONTROL = re.compile("[\x7f-\x9f\ud800-\udfff]")


def document(command: str, content: Mapping[str, Any]) -> str:
    """The one line that `command` ("match", "check" ...) prints."""
    head = {"mpipp": VERSION, "command": command}
    text = json.dumps({**head, **content}, ensure_ascii=False)
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def element(found: Element) -> dict[str, Any]:
    """An element by its address, basic type, displacement and packed position."""
    return {
        "address": found.path,
        "type": found.datatype.name or kind(found.datatype),
        "displacement": found.displacement,
        "packed": found.packed,
        "size": found.size,
    }
