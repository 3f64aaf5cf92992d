# SPDX-License-Identifier: MIT
"""Decodes the error codes and null handles that MPI returned to the program."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.common.text.sanitize import plain
from mpipp.model import ReturnedCode
from mpipp.registry.layout.record_fields import RawReturned
from mpipp.registry.layout.record_source import Source

_TABLE = "returned_codes"


def returned_codes(source: Source) -> Iterator[ReturnedCode]:
    """Yield the error codes in order, each once for its procedure, error class and place."""
    if _TABLE not in source.tables:
        return
    for raw in source.entries(_TABLE, RawReturned):
        yield ReturnedCode(
            source.procedure(raw.procedure),
            source.error_class(raw.error_class) if raw.error_class else "",
            summary(raw.text.partition(b"\0")[0].decode("utf-8", "replace")),
            source.site(raw.caller, 0),
            raw.times,
            raw.last,
        )


def summary(text: str) -> str:
    """Return MPI's text for an error code as one line.

    The text may be an error stack; its last line has the cause.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    if len(lines) == 1:
        return plain(lines[0])
    _, is_found, cause = lines[-1].partition("): ")
    first = lines[0].replace(", error stack:", "")
    return plain(cause if is_found and cause else first)
