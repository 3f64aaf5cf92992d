# SPDX-License-Identifier: MIT
"""The MPI call at whose very beginning a thread has stopped, before the wrapper recorded it.

A breakpoint on MPI_Bcast stops there. The arguments are read from the frame: the wrapper is built
with debug information, and its parameters have the standard's names.
"""

from __future__ import annotations

import re

import gdb

from mpipp.gdb.sessions import Session
from mpipp.model import Broken, Buffer, Call, Comm, DatatypeRecord, Site
from mpipp.model.procedures import ARGUMENTS

_PROCEDURE = re.compile(r"P?(MPI_[A-Z]\w*)$")
_FRAMES = 4  # of the newest: an intercepting function may have called another

# Address, count and datatype by the standard's parameter names, where they are single numbers.
_BUFFERS = (
    ("buf", "count", "datatype"),
    ("buffer", "count", "datatype"),
    ("sendbuf", "sendcount", "sendtype"),
    ("recvbuf", "recvcount", "recvtype"),
    ("sendbuf", "count", "datatype"),
    ("recvbuf", "count", "datatype"),
    ("sendbuf", "recvcount", "datatype"),
    ("recvbuf", "recvcount", "datatype"),
    ("inbuf", "count", "datatype"),
    ("inoutbuf", "count", "datatype"),
    ("inbuf", "incount", "datatype"),
    ("outbuf", "outcount", "datatype"),
    ("origin_addr", "origin_count", "origin_datatype"),
    ("result_addr", "result_count", "result_datatype"),
)
# Whose count is for each process of the communicator, after MPI_ and I.
_PER_PROCESS = {
    "sendbuf": re.compile(r"MPI_I?(scatter|alltoall|reduce_scatter_block)", re.IGNORECASE),
    "recvbuf": re.compile(r"MPI_I?(gather|allgather|alltoall)", re.IGNORECASE),
}


def call(session: Session) -> Call | None:
    """The call that the selected thread has just entered; None if there is none."""
    frame = gdb.newest_frame()
    for _ in range(_FRAMES):
        if frame is None:
            return None
        found = _PROCEDURE.match(frame.name() or "")
        if found and found.group(1) in ARGUMENTS:
            arguments = _arguments(frame)
            if arguments:
                return _call(found.group(1), arguments, frame, session)
        frame = frame.older()
    return None


def _arguments(frame: gdb.Frame) -> dict[str, int]:
    # The arguments that are numbers or addresses.
    result = {}
    try:
        block = frame.block()
    except RuntimeError:  # no debug information
        return {}
    for symbol in block:
        if symbol.is_argument:
            try:
                result[symbol.name] = int(symbol.value(frame))
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
        message=None,
        dest=arguments.get("dest"),
        source=arguments.get("source"),
        tag=arguments.get("tag", arguments.get("sendtag")),
        recvtag=arguments.get("recvtag"),
        root=arguments.get("root"),
        target_rank=arguments.get("target_rank"),
        offset=None,
        errorcode=arguments.get("errorcode"),
        requests=None,
        request_count=0,
        buffers=tuple(_buffers(procedure, arguments, session).values()),
    )


def _buffers(procedure: str, arguments: dict[str, int], session: Session) -> dict[str, Buffer]:
    # By role.
    comm = arguments.get("comm")
    found = session.registry.find("comm", comm) if comm is not None else None
    size = found.size if isinstance(found, Comm) else 1
    buffers: dict[str, Buffer] = {}
    for role, count, datatype in _BUFFERS:
        if role in arguments and count in arguments and datatype in arguments:
            per_process = role in _PER_PROCESS and _PER_PROCESS[role].match(procedure)
            known = session.registry.find("datatype", arguments[datatype])
            assert known is None or isinstance(known, (DatatypeRecord, Broken))
            buffers.setdefault(
                role,
                Buffer(
                    role=role,
                    address=arguments[role] % (1 << 64),
                    count=arguments[count],
                    peers=size if per_process else 1,
                    datatype=known,
                    handle=arguments[datatype],
                    access=frozenset(),
                ),
            )
    return buffers
