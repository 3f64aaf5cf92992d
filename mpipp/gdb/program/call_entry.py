# SPDX-License-Identifier: MIT
"""The MPI call that a thread has entered, before the wrapper has recorded it.

A breakpoint on MPI_Bcast stops there. The arguments come from the frame: the wrapper is built with
debug information, and its parameters have the standard's names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import gdb

from mpipp.gdb.program import abandoned_frames, symbol_names
from mpipp.gdb.program.sessions import Session
from mpipp.model import Broken, Buffer, Call, Comm, DatatypeRecord, Site, procedures

_PROCEDURE = re.compile(r"P?(MPI_[A-Z]\w*)$")
_FRAMES = 4  # newest frames to search: one intercepting function may call another


def call(session: Session) -> Call | None:
    """The call that the selected thread has just entered; None in other places."""
    frame = abandoned_frames.newest_frame()
    for _ in range(_FRAMES):
        if frame is None:
            return None
        found = _PROCEDURE.match(symbol_names.function(frame))
        if found and found.group(1) in procedures.PROCEDURES:
            arguments = _arguments(frame)
            if arguments:
                return _call(found.group(1), arguments, frame, session)
        frame = frame.older()
    return None


def _arguments(frame: gdb.Frame) -> dict[str, int]:
    # The arguments that are numbers or addresses, by name.
    result = {}
    try:
        block = frame.block()
    except RuntimeError:  # no debug information
        return {}
    for symbol in block:
        if symbol.is_argument:
            try:
                result[symbol_names.symbol(symbol)] = int(symbol.value(frame))
            except (gdb.error, TypeError):
                continue
    return result


def _call(procedure: str, arguments: dict[str, int], frame: gdb.Frame, session: Session) -> Call:
    older = frame.older()
    return Call(
        procedure=procedure,
        state="entering",
        serial=0,
        site=Site(older.pc() if older is not None else 0),
        frame=0,
        comm=arguments.get("comm"),
        op=arguments.get("op"),
        win=arguments.get("win"),
        file=arguments.get("fh"),
        dest=arguments.get("dest"),
        source=arguments.get("source"),
        tag=arguments.get("tag", arguments.get("sendtag")),
        recvtag=arguments.get("recvtag"),
        root=arguments.get("root"),
        target_rank=arguments.get("target_rank"),
        errorcode=arguments.get("errorcode"),
        buffers=tuple(_buffers(procedure, arguments, session)),
    )


def _buffers(procedure: str, arguments: dict[str, int], session: Session) -> Iterator[Buffer]:
    # The buffer arguments of a single process, with one count and one datatype.
    comm = session.registry.find("comm", arguments.get("comm", 0))
    comm = comm if isinstance(comm, Comm) else None
    places = _places(arguments.get("root", 0), comm, session)
    for buffer in procedures.procedure(procedure).buffers:
        peers = _peers(buffer.times, arguments, comm)
        given = {buffer.role, buffer.datatype} <= arguments.keys()
        if buffer.role == "target_disp" or not given or peers is None:
            continue
        if buffer.at and not places.intersection(buffer.at):
            continue
        handle = arguments[buffer.datatype]
        known = session.registry.find("datatype", handle)
        assert known is None or isinstance(known, (DatatypeRecord, Broken))
        yield Buffer(
            role=buffer.role,
            address=arguments[buffer.role] % (1 << 64),
            count=arguments.get(buffer.count, 1),
            peers=peers,
            datatype=known,
            handle=handle,
            access=frozenset(),
        )


def _places(root: int, comm: Comm | None, session: Session) -> set[str]:
    # "root" or "leaf": the side of the process in a rooted call, as the wrapper's mpipp_at_root and
    # mpipp_at_leaf determine it.
    if comm is not None and comm.inter:
        named = session.constant_name(root, "MPI_ROOT", "MPI_PROC_NULL")
        return {"MPI_ROOT": {"root"}, "MPI_PROC_NULL": set[str]()}.get(named or "", {"leaf"})
    return {"root", "leaf"} if comm is not None and root == comm.rank else {"leaf"}


def _peers(times: str, arguments: dict[str, int], comm: Comm | None) -> int | None:
    # The factor from a buffer's count to its number of entries; None if an array has the counts.
    if times in ("each", "own", "sum"):
        return None
    if times not in ("peers", "sources", "targets"):
        return arguments.get(times, 1)
    if comm is None:
        return 1
    if times == "peers":
        return comm.remote_size if comm.inter else comm.size
    return comm.indegree if times == "sources" else comm.outdegree
