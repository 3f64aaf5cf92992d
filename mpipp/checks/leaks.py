# SPDX-License-Identifier: MIT
"""What has the program made and not given back?

Asked for by the user, or when MPI_Finalize has called the callbacks of MPI_COMM_SELF's attributes
(MPI-4.1, sections 11.2.2 and 11.2.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Process
from mpipp.model import Broken, Object, Request, Site

_KINDS = (
    "datatype",
    "comm",
    "group",
    "win",
    "op",
    "file",
    "info",
    "errhandler",
    "session",
    "message",
)
_NOUNS = {"comm": "communicator", "win": "window", "op": "operation", "info": "info object"}
_NOUNS["errhandler"] = "error handler"


def check(process: Process) -> Findings:
    """Requests that are not complete and objects that are not freed, by where they were made."""
    for requests in _by_site(process, "request").values():
        yield _requests(process, [r for r in requests if isinstance(r, Request)])
    for kind in _KINDS:
        for objects in _by_site(process, kind).values():
            yield _objects(process, kind, objects)


def at_the_end(process: Process) -> bool:
    """Whether the process has come so far in MPI_Finalize that nothing more will be freed."""
    if process.registry.info.status == "finalized":
        return True
    if process.registry.info.end_awaited:
        return False
    calls = (thread.call for thread in process.threads)
    return any(call is not None and call.procedure == "MPI_Finalize" for call in calls)


def _by_site(process: Process, kind: str) -> dict[tuple[Site, bool], list[Object]]:
    found: dict[tuple[Site, bool], list[Object]] = {}
    for thing in process.registry.objects(kind):
        if isinstance(thing, Broken):
            continue
        header = thing.header
        if header.predefined or header.null or header.imported or header.freed:
            continue
        pending = isinstance(thing, Request) and thing.pending
        found.setdefault((header.site, pending), []).append(thing)
    return found


def _requests(process: Process, requests: Sequence[Request]) -> Finding:
    first = requests[0]
    if first.pending:
        rule, what = "incomplete-request", _not(len(requests), "operation", "complete")
    else:
        rule, what = "request-leak", _not(len(requests), "persistent request", "freed")
    return Finding.of(rule, what, [process.made(first, *_others(len(requests)))])


def _objects(process: Process, kind: str, objects: Sequence[Object]) -> Finding:
    done = "received" if kind == "message" else "freed"
    what = _not(len(objects), _NOUNS.get(kind, kind), done)
    parties = [process.made(objects[0], *_others(len(objects)))]
    return Finding.of(f"{kind}-leak", what, parties)


def _not(count: int, noun: str, done: str) -> str:
    return f"{count} {noun}s are not {done}" if count > 1 else f"1 {noun} is not {done}"


def _others(count: int) -> list[str]:
    if count == 1:
        return []
    return [f"and {count - 1} other{'s' * (count > 2)} at the same place"]
