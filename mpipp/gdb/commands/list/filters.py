# SPDX-License-Identifier: MIT
"""Select the objects that `mpipp list` shows, and count the others."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, NamedTuple

from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.gdb.program import call_sites
from mpipp.gdb.program.sessions import Session
from mpipp.model import Broken, Header, Object, Request, Site, ThreadCall, Win
from mpipp.render import one_line


class CreationSite(NamedTuple):
    """The place where an object was created: all callers (`call_sites.site`), and one line."""

    calls: list[str]
    place: str


class Places(dict[Site, CreationSite]):
    """A cache of creation sites, because one place may create many objects."""

    def __missing__(self, where: Site) -> CreationSite:
        """Look up the source lines of a new place."""
        self[where] = CreationSite(*call_sites.site_and_place(where))
        return self[where]


@dataclass
class Selection:
    """The shown objects, and the numbers of hidden objects: freed, predefined, beyond the limit."""

    shown: list[Object] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    freed: int = 0
    predefined: int = 0
    beyond: int = 0
    damaged: int = 0

    def damage(self, found: Broken, limit: int) -> None:
        """Count a damaged object."""
        self.damaged += 1
        if not limit or self.damaged <= limit:
            self.broken.append(found)

    @property
    def total(self) -> int:
        """The number of objects that fit the options."""
        return len(self.shown) + self.beyond


def select(options: argparse.Namespace, kind: str, session: Session, places: Places) -> Selection:
    """Select the objects of a kind that fit the options of the command."""
    result = Selection()
    filters = list(_filters(options, session, places))
    for header in session.registry.headers(kind, ended=True):
        if isinstance(header, Broken):
            result.damage(header, options.limit)
            continue
        if header.null or not all(keep(header) for keep in filters):
            continue
        if not options.all and header.is_ended:
            result.freed += 1
        elif not options.all and header.predefined and kind != "comm":
            result.predefined += 1
        elif options.limit and len(result.shown) >= options.limit and options.what != "epochs":
            result.beyond += 1  # objects beyond the limit are counted, not read: there may be 10^6
        else:
            _add(result, session.registry.at(kind, header.record), options)
    return result


def by_place(
    options: argparse.Namespace, kind: str, session: Session, places: Places
) -> dict[Site, int]:
    """Count the objects of a kind by creation site. Further handles to an object count, too."""
    filters = list(_filters(options, session, places))
    found: dict[Site, int] = {}
    for header in session.registry.headers(kind, ended=True):
        if isinstance(header, Broken) or header.null or not all(keep(header) for keep in filters):
            continue
        if options.all or not (header.is_ended or header.predefined):
            found[header.site] = found.get(header.site, 0) + 1 + header.holders
    return found


def _add(result: Selection, found: Object | Broken, options: argparse.Namespace) -> None:
    if isinstance(found, Broken):
        result.damage(found, options.limit)
    elif options.what == "epochs" and not (isinstance(found, Win) and found.epochs):
        pass
    elif options.limit and len(result.shown) >= options.limit:
        result.beyond += 1
    else:
        result.shown.append(found)


def _is_of(header: Header, combiner: str, session: Session) -> bool:
    try:
        return session.registry.combiner(header.record) == combiner
    except MpippError:
        return True  # keep it, so that the list reports the damage


def _filters(
    options: argparse.Namespace, session: Session, places: Places
) -> Iterator[Callable[[Header], bool]]:
    if options.named:
        yield lambda header: bool(header.name) and not header.predefined
    if options.committed:
        yield lambda header: "committed" in header.flags
    if options.uncommitted:
        yield lambda header: "committed" not in header.flags
    if options.kind:
        yield lambda header: _is_of(header, options.kind, session)
    if options.made:
        pattern = re.compile(rf"(^|/){re.escape(options.made)}(:| |$)")
        yield lambda header: any(map(pattern.search, places[header.site].calls))


def started(start: ThreadCall, places: Places) -> dict[str, Any]:
    """The call that started a persistent operation, for JSON."""
    return {"procedure": start.procedure, "where": places[start.site].calls}


def active_start(found: Object) -> ThreadCall | None:
    """The call that started an active persistent operation; None for other objects."""
    active = isinstance(found, Request) and found.state == "active"
    return found.start if isinstance(found, Request) and active else None


def _object(found: Object, session: Session, places: Places) -> dict[str, Any]:
    result: dict[str, Any] = {
        "serial": found.header.serial,
        "handle": found.header.handle,
        "name": found.header.name,
        "text": one_line.described(found, session).text,
        "freed": found.header.is_ended,
        "made": places[found.header.site].calls,
    }
    if isinstance(found, Request):
        start = active_start(found)
        result["started"] = start and started(start, places)
    return result


def content(selection: Selection, kind: str, session: Session, places: Places) -> dict[str, Any]:
    """A selection for JSON (docs/reference/json.md)."""
    return {
        "kind": kind,
        "objects": [_object(found, session, places) for found in selection.shown],
        "total": selection.total,
        "damaged": selection.damaged,
        "freed_not_shown": selection.freed,
        "predefined_not_shown": selection.predefined,
    }
