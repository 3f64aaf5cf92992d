# SPDX-License-Identifier: MIT
"""Which objects of a kind `mpipp list` shows, and how many others there are."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mpipp.gdb.program import sites
from mpipp.gdb.sessions import Session
from mpipp.model import Broken, DatatypeRecord, Object, Site
from mpipp.show import oneline


class Places(dict[Site, list[str]]):
    """Where objects were made, looked up once: many were made at the same place."""

    def __missing__(self, where: Site) -> list[str]:
        """The source lines."""
        self[where] = sites.site(where)
        return self[where]


@dataclass
class Selection:
    """What is shown, and how many are not: freed, predefined, and beyond the limit."""

    shown: list[Object] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    freed: int = 0
    predefined: int = 0
    beyond: int = 0
    damaged: int = 0

    @property
    def total(self) -> int:
        """All that fit the options."""
        return len(self.shown) + self.beyond


def select(options: argparse.Namespace, kind: str, session: Session, places: Places) -> Selection:
    """The objects of a kind that fit the options of the command."""
    result = Selection()
    filters = list(_filters(options, places))
    for found in session.registry.objects(kind, freed=True):
        if isinstance(found, Broken):
            result.damaged += 1
            if not options.limit or result.damaged <= options.limit:
                result.broken.append(found)
            continue
        header = found.header
        if header.null or not all(keep(found) for keep in filters):
            continue
        if not options.all and header.freed:
            result.freed += 1
        elif not options.all and header.predefined and kind != "comm":
            result.predefined += 1
        elif options.limit and len(result.shown) >= options.limit:
            result.beyond += 1
        else:
            result.shown.append(found)
    return result


def _filters(options: argparse.Namespace, places: Places) -> Iterator[Callable[[Object], bool]]:
    if options.named:
        yield lambda found: bool(found.header.name) and not found.header.predefined
    if options.committed:
        yield lambda found: isinstance(found, DatatypeRecord) and found.committed
    if options.uncommitted:
        yield lambda found: isinstance(found, DatatypeRecord) and not found.committed
    if options.kind:
        yield (
            lambda found: isinstance(found, DatatypeRecord) and found.tree.combiner == options.kind
        )
    if options.made:
        pattern = re.compile(rf"(^|/){re.escape(options.made)}(:| |$)")
        yield lambda found: any(pattern.search(call) for call in places[found.header.site])


def content(selection: Selection, kind: str, session: Session, places: Places) -> dict[str, Any]:
    """A selection for machines; the schema stands in docs/json.md."""
    return {
        "kind": kind,
        "objects": [
            {
                "serial": found.header.serial,
                "handle": found.header.handle,
                "name": found.header.name,
                "text": oneline.described(found, session),
                "freed": found.header.freed,
                "made": places[found.header.site],
            }
            for found in selection.shown
        ],
        "total": selection.total,
        "damaged": selection.damaged,
        "freed_not_shown": selection.freed,
        "predefined_not_shown": selection.predefined,
    }
