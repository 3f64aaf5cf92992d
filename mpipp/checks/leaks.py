# SPDX-License-Identifier: MIT
"""What has the program made and not given back?

Asked for by the user, or when the program has come to MPI_Finalize (MPI-4.1, section 11.2.2).
"""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Process
from mpipp.model import Broken, Object, Request, Site

# Kinds with what frees them, and what MUST calls it.
_FREED_BY = {
    "datatype": ("MPI_Type_free", "MUST_ERROR_LEAK_DATATYPE"),
    "comm": ("MPI_Comm_free", "MUST_ERROR_LEAK_COMM"),
    "group": ("MPI_Group_free", "MUST_ERROR_LEAK_GROUP"),
    "win": ("MPI_Win_free", ""),
    "op": ("MPI_Op_free", "MUST_ERROR_LEAK_OP"),
    "file": ("MPI_File_close", ""),
    "info": ("MPI_Info_free", ""),
    "errhandler": ("MPI_Errhandler_free", "MUST_ERROR_LEAK_ERR"),
    "session": ("MPI_Session_finalize", ""),
    "message": ("MPI_Mrecv", "MUST_ERROR_MESSAGE_LOST"),
}
_NOUNS = {"comm": "communicator", "win": "window", "op": "operation", "info": "info object"}
_NOUNS["errhandler"] = "error handler"


def check(process: Process) -> Findings:
    """Requests that are not complete and objects that are not freed, by where they were made."""
    for requests in _by_site(process, "request").values():
        yield _requests(process, [r for r in requests if isinstance(r, Request)])
    for kind in _FREED_BY:
        for objects in _by_site(process, kind).values():
            yield _objects(process, kind, objects)


def at_the_end(process: Process) -> bool:
    """Whether the process has come to MPI_Finalize: nothing more will be freed."""
    if process.registry.info.status == "finalized":
        return True
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
        return Finding(
            "incomplete-request",
            "error",
            _not(len(requests), "operation", "complete"),
            (process.made(first, *_others(len(requests))),),
            "MPI-4.1, section 11.2.2: all communication must be complete before MPI_Finalize",
            "call MPI_Wait, or MPI_Test until it is complete, for every nonblocking operation",
            "MUST_ERROR_LEAK_REQUEST",
        )
    return Finding(
        "request-leak",
        "warning",
        _not(len(requests), "persistent request", "freed"),
        (process.made(first, *_others(len(requests))),),
        "MPI-4.1, section 3.9: a persistent request is freed with MPI_Request_free",
        "call MPI_Request_free when it is needed no more",
        "MUST_ERROR_LEAK_REQUEST",
    )


def _objects(process: Process, kind: str, objects: Sequence[Object]) -> Finding:
    how, must = _FREED_BY[kind]
    what, rule = "freed", "11.2.2: a program should free what it made before MPI_Finalize"
    advice = f"call {how} when it is needed no more"
    if kind == "message":
        what, rule = "received", "3.8.2: a message that a matching probe took must be received"
        advice = f"call {how}: no other call can receive it"
    return Finding(
        f"{kind}-leak",
        "warning",
        _not(len(objects), _NOUNS.get(kind, kind), what),
        (process.made(objects[0], *_others(len(objects))),),
        f"MPI-4.1, section {rule}",
        advice,
        must,
    )


def _not(count: int, noun: str, done: str) -> str:
    return f"{count} {noun}s are not {done}" if count > 1 else f"1 {noun} is not {done}"


def _others(count: int) -> list[str]:
    if count == 1:
        return []
    return [f"and {count - 1} other{'s' * (count > 2)} at the same place"]
