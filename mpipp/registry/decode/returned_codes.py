# SPDX-License-Identifier: MIT
"""The error codes that MPI returned to the program."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.common.text.sanitize import plain
from mpipp.model import ReturnedCode
from mpipp.registry.layout.record_fields import RawReturned
from mpipp.registry.layout.record_source import Source

_TABLE = "returned_codes"


def returned_codes(source: Source) -> Iterator[ReturnedCode]:
    """Each procedure with each class of errors that it returned at each place, in order."""
    if _TABLE not in source.tables:
        return
    for raw in source.entries(_TABLE, RawReturned):
        yield ReturnedCode(
            source.procedure(raw.procedure),
            source.error_class(raw.error_class),
            summary(raw.text.partition(b"\0")[0].decode("utf-8", "replace")),
            source.site(raw.caller, 0),
            raw.times,
            raw.last,
        )


def summary(text: str) -> str:
    """MPI's text for a code in one line: of an error stack the last line, which has the cause."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    if len(lines) == 1:
        return plain(lines[0])
    _, is_found, cause = lines[-1].partition("): ")
    first = lines[0].replace(", error stack:", "")
    return plain(cause if is_found and cause else first)
