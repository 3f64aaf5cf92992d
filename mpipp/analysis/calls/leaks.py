# SPDX-License-Identifier: MIT
"""Check for objects that the program created and did not free.

The check runs on the user's request, or when MPI_Finalize has called the callbacks of
MPI_COMM_SELF's attributes (MPI-4.1, sections 11.2.2 and 11.2.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings, with_repeat_count
from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import KINDS, Broken, Header, Object, Request, Site

_KINDS = tuple(kind for kind in KINDS if kind != "request")
_FIRST = 16  # records kept for each place; one of them should be undamaged
_NOUNS = {"comm": "communicator", "win": "window", "op": "operation", "info": "info object"}
_NOUNS["errhandler"] = "error handler"


def check(process: Process) -> Findings:
    """Yield incomplete requests and objects that are not freed, by the place of their creation."""
    for requests in _requests_by_site(process).values():
        yield _requests(process, requests)
    for kind in _KINDS:
        for made in _made_by_site(process, kind).values():
            yield from _objects(process, kind, made)


_NOT_KEPT = frozenset({"predefined", "null", "imported", "ended"})


def at_the_end(process: Process) -> bool:
    """Return whether MPI_Finalize has come so far that the program will free nothing more."""
    if process.registry.info.status == "finalized":
        return True
    if process.registry.info.end_awaited:
        return False
    calls = (thread.call for thread in process.threads)
    return any(call is not None and call.procedure == "MPI_Finalize" for call in calls)


def _requests_by_site(process: Process) -> dict[tuple[Site, bool], list[Request]]:
    found: dict[tuple[Site, bool], list[Request]] = {}
    for request in process.registry.objects("request"):
        if isinstance(request, Request) and _is_leak(request.header):
            found.setdefault((request.header.site, request.pending), []).append(request)
    return found


@dataclass
class _CreationSite:
    # Objects created at one place: the first records, and the number of objects.
    records: list[int]
    count: int = 0


def _made_by_site(process: Process, kind: str) -> dict[Site, _CreationSite]:
    found: dict[Site, _CreationSite] = {}
    for header in process.registry.headers(kind):
        if isinstance(header, Header) and _is_leak(header):
            made = found.setdefault(header.site, _CreationSite([]))
            made.count += 1 + header.holders
            if len(made.records) < _FIRST:  # there may be 10^6
                made.records.append(header.record)
    return found


def noun(kind: str) -> str:
    """Return the word for an object of a kind: "communicator"."""
    return _NOUNS.get(kind, kind)


def counts(process: Process) -> Iterator[tuple[str, Site, int]]:
    """Yield the number of objects in use of each kind and place, except requests."""
    for kind in _KINDS:
        for site, made in _made_by_site(process, kind).items():
            yield kind, site, made.count


def _is_leak(header: Header) -> bool:
    return _NOT_KEPT.isdisjoint(header.flags)


def _requests(process: Process, requests: Sequence[Request]) -> Finding:
    first = requests[0]
    rule = "incomplete-request" if first.pending else "request-leak"
    return _finding(rule, process, first, len(requests), "")


def _objects(process: Process, kind: str, made: _CreationSite) -> Findings:
    some = (process.registry.at(kind, record) for record in made.records)
    first = next((one for one in some if not isinstance(one, Broken)), None)
    if first is None:
        return
    yield _finding(f"{kind}-leak", process, first, made.count, noun(kind))


def _finding(rule: str, process: Process, first: Object, count: int, noun: str) -> Finding:
    case = "several" if count > 1 else "one"
    found = Finding.of(rule, [process.object_party(first)], case, times=count, noun=noun)
    return with_repeat_count(found, count - 1)
