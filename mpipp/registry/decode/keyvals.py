# SPDX-License-Identifier: MIT
"""Decodes the places in the program that create attribute keys."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.model import KeyvalPlace
from mpipp.registry.layout.record_fields import RawKeyvals
from mpipp.registry.layout.record_source import Source

_TABLE = "keyvals"


def places(source: Source) -> Iterator[KeyvalPlace]:
    """Yield each place, with the number of keys that it created and freed."""
    if _TABLE not in source.tables:
        return
    for raw in source.entries(_TABLE, RawKeyvals):
        yield KeyvalPlace(source.site(raw.caller, 0), raw.made, raw.freed)
