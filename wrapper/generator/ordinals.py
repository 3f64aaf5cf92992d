# SPDX-License-Identifier: MIT
"""The procedures that have ordinals on their communicator (channels.h), and their counting."""

from __future__ import annotations

from wrapper.generator import agreement
from wrapper.generator.mpi_standard import Parameter, Procedure
from wrapper.generator.statements import RECEIVED

MATCHES = ("Mprobe", "Improbe")  # they match a message, whose data another call receives
STARTS = {"Start": "request, 1", "Startall": "array_of_requests, count"}
ANY = "mpipp_is_wildcard(source, {tag})"


def bits(procedure: Procedure) -> list[str]:
    """The bits of "present" for the procedure's ordinals."""
    sends, receives = _sends(procedure), _receives(procedure)
    found = []
    if sends or receives or _collective(procedure):
        found.append("MPIPP_HAS_ORDINAL")
    if sends and receives:
        found.append("MPIPP_HAS_RECV_ORDINAL")
    return found


def counting(procedure: Procedure) -> list[str]:
    """C statements that count the call; a persistent operation is counted when it starts."""
    sends, receives = _sends(procedure), _receives(procedure)
    if procedure.base in STARTS:
        return [f"mpipp_recorder_begin_start(call, {STARTS[procedure.base]});"]
    if _collective(procedure):
        return ["call->ordinal = mpipp_collective_ordinal(call);"]
    if procedure.base in MATCHES:
        return ["MPI_Status received;"]
    if _takes_message(procedure):  # counted already, when a probe matched the message
        return ["mpipp_recorder_note_message(call);"]
    if not sends and not receives:
        return []
    if procedure.form == "partitioned":
        peer = "dest" if sends else "source"
        sequence = f"MPIPP_PARTITIONED_{'SENDS' if sends else 'RECEIVES'}"
        key = f"mpipp_channel_key({peer}, tag)"
        return [f"call->ordinal = mpipp_recorder_count(call, {sequence}, call->comm, {key}, call);"]
    if procedure.form == "persistent":
        return ["call->ordinal = 0;"]
    lines = []
    if sends:
        tag = "sendtag" if receives else "tag"
        lines.append(f"call->ordinal = mpipp_post_send(call, dest, {tag});")
    if receives:
        field = "recv_ordinal" if sends else "ordinal"
        blocking = int(not _nonblocking(procedure))
        lines.append(
            f"call->{field} = "
            f"mpipp_post_receive(call, source, {_receive_tag(procedure)}, {blocking});"
        )
        if blocking:
            lines.append("MPI_Status received;")
    return lines


def status(procedure: Procedure, parameter: Parameter) -> str | None:
    """The status argument for MPI, if a wildcard receive must learn which message it received."""
    if parameter.kind != "STATUS":
        return None
    if procedure.base in MATCHES:
        return "status == MPI_STATUS_IGNORE ? &received : status"
    if not _learns(procedure):
        return None
    any_message = ANY.format(tag=_receive_tag(procedure))
    return f"status == MPI_STATUS_IGNORE && {any_message} ? &received : status"


def resolving(procedure: Procedure) -> list[str]:
    """Statements after a blocking wildcard receive has returned."""
    if not _learns(procedure):
        return []
    any_message = ANY.format(tag=_receive_tag(procedure))
    field = "recv_ordinal" if _sends(procedure) else "ordinal"
    return [
        f"if ({any_message}) {{",
        f"  call->{field} = 0; // it no longer waits for a message",
        f"  mpipp_recorder_receive_wildcard(call, {RECEIVED});",
        "}",
    ]


def noting(procedure: Procedure) -> list[str]:
    """Statements after MPI has accepted a collective call: only then its arrays are valid."""
    if _collective(procedure):
        return ["mpipp_recorder_note_collective(call);"]
    blocking = _together(procedure) and not _nonblocking(procedure)
    return ["mpipp_recorder_note_object_call(call);"] if blocking else []


def noting_first(procedure: Procedure) -> list[str]:
    """Statements for a nonblocking collective call, whose request gets its ordinal."""
    first = _together(procedure) and _nonblocking(procedure)
    return ["mpipp_recorder_note_object_call(call);"] if first else []


def failing(procedure: Procedure, call: str = "call") -> str | None:
    """The return code of a failed call; notes that its part in the matching is uncertain."""
    if procedure.base in STARTS:
        return f"mpipp_recorder_fail_start({STARTS[procedure.base]}, code)"
    if _together(procedure):
        return "mpipp_recorder_fail_object_call(call, code)"
    if _learns(procedure):
        field = "recv_ordinal" if _sends(procedure) else "ordinal"
        any_message = ANY.format(tag=_receive_tag(procedure))
        ordinal = f"{any_message} ? &call->{field} : NULL"
        return f"mpipp_recorder_fail_receive(call, code, {ordinal}, {RECEIVED})"
    if _takes_message(procedure):
        return "mpipp_recorder_fail_message(call, code, serial)"
    return f"mpipp_recorder_fail({call}, code)" if bits(procedure) else None


def _names(procedure: Procedure) -> set[str]:
    return {p.name for p in procedure.parameters}


def _has_buffer(procedure: Procedure) -> bool:
    return any(p.kind == "BUFFER" for p in procedure.parameters)


def _sends(procedure: Procedure) -> bool:
    return _has_buffer(procedure) and "dest" in _names(procedure)


def _receives(procedure: Procedure) -> bool:
    return _has_buffer(procedure) and "source" in _names(procedure)


def _takes_message(procedure: Procedure) -> bool:
    return _has_buffer(procedure) and "message" in _names(procedure)


def _receive_tag(procedure: Procedure) -> str:
    return "recvtag" if "recvtag" in _names(procedure) else "tag"


def _nonblocking(procedure: Procedure) -> bool:
    return any(p.kind == "REQUEST" for p in procedure.parameters)


def _learns(procedure: Procedure) -> bool:
    return _receives(procedure) and not _nonblocking(procedure)


def _together(procedure: Procedure) -> bool:
    # The call is collective over an existing window or file, and does not free it.
    given = any(p.kind in ("WINDOW", "FILE") and p.by_value_handle for p in procedure.parameters)
    return given and agreement.agreement(procedure.operation).over in ("win", "file")


def _collective(procedure: Procedure) -> bool:
    # The call is collective over a communicator, and does not free it: a freed one has no later
    # calls.
    given = any(p.kind == "COMMUNICATOR" and p.by_value_handle for p in procedure.parameters)
    return given and agreement.agreement(procedure.operation).over in ("comm", "groups")
