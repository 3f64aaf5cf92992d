# SPDX-License-Identifier: MIT
"""Short words for calls, ranks and communicators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mpipp.analysis.context import group_members
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.deadlock.waits.comm_free import freed_by
from mpipp.analysis.deadlock.waits.windows import window_of
from mpipp.common.text.wording import counted, listed, ordinal, ranks
from mpipp.model import Call, Comm, ProcessInfo
from mpipp.render.datatype_structs import quoted

_TAGS = ("tag", "sendtag", "recvtag")
_PEERS = ("MPI_ANY_SOURCE", "MPI_PROC_NULL", "MPI_ROOT")


def processes(infos: Sequence[ProcessInfo]) -> str:
    """Return the words for processes: "ranks 0 and 1"; "process 4711" if it has no rank."""
    known = [info.world_rank for info in infos if info.world_rank is not None]
    if len(known) == len(infos):
        return ranks(known)
    each = (
        f"process {info.pid}" if info.world_rank is None else f"rank {info.world_rank}"
        for info in infos
    )
    return listed(list(each))


class Name(NamedTuple):
    """The name of a communicator: "an intercommunicator of rank 0 with ranks 1 and 2".

    Attributes:
        article: "a", "an"; "" before a name.
        noun: "communicator", "intercommunicator"; "" for a predefined one.
        rest: the communicator's name, or its processes.
    """

    article: str
    noun: str
    rest: str

    def text(self, number: int = 0, noun: str = "") -> str:
        """Return the name as text.

        Args:
            number: ordinal among communicators with this name, from 1; 0: it is the only one.
            noun: replaces its own noun.
        """
        article = f"the {ordinal(number)}" if number else self.article
        return " ".join(filter(None, (article, self.noun and (noun or self.noun), self.rest)))


def name(found: Comm) -> Name:
    """Return the name of a communicator."""
    if found.header.name:
        if found.header.predefined:
            return Name("", "", found.header.name)
        return Name("", "communicator", quoted(found.header.name))
    members = found.world_ranks
    kind = "intercommunicator" if found.inter else "communicator"
    if members is None:
        return Name("a", kind, f"of {found.size} processes")
    if found.inter and found.remote_world_ranks is not None:
        both = sorted([ranks(members), ranks(found.remote_world_ranks)])
        return Name("an", kind, f"of {both[0]} with {both[1]}")
    return Name("a", kind, f"of {ranks(members)}")


def comm(found: Comm) -> str:
    """Return the words for a communicator, with its name if it has one."""
    return name(found).text()


def comm_of(process: Process, found: Comm) -> str:
    """Return the words for a communicator that distinguish it from the process's other
    communicators."""
    return name(found).text(_number_of(process, found))


def _number_of(process: Process, found: Comm) -> int:
    # The ordinal among the process's communicators with the same name, from 1; 0: the only one.
    own = name(found)
    equal = sorted(
        other.header.serial
        for other in process.registry.objects("comm")
        if isinstance(other, Comm) and name(other) == own
    )
    if len(equal) < 2 or found.header.serial not in equal:
        return 0
    return equal.index(found.header.serial) + 1


def _on(process: Process, found: Comm) -> str:
    # The words as an argument: comm "halo", comm of ranks 0 and 2, 2nd comm of ranks 0 and 2.
    own, number = name(found), _number_of(process, found)
    noun = "intercomm" if own.noun == "intercommunicator" else "comm"
    known = Name(ordinal(number) if number else "", own.noun, own.rest)
    return known.text(noun=noun)


def tag(operation: Operation) -> str:
    """Return "tag 5"; for calls like MPI_Comm_create_from_group "stringtag "halo""."""
    if "stringtag" in operation.call.arguments:
        text = group_members.stringtag(operation).decode("utf-8", "backslashreplace")
        return f"stringtag {quoted(text)}"
    return f"tag {operation.call.tag}"


def call(operation: Operation) -> str:
    """Return a call with the arguments that identify its peers: "MPI_Recv(source 1, tag 5)"."""
    words = arguments(operation)
    procedure = operation.call.procedure
    return f"{procedure}({', '.join(words)})" if words else procedure


def arguments(operation: Operation) -> list[str]:
    """Return the arguments of a call that identify its peers: "source 1", "tag 5"."""
    found, process = operation.call, operation.process
    words = [f"{name} {_number(operation, name, value)}" for name, value in _peers(found)]
    if "stringtag" in found.arguments:
        words.append(tag(operation))
    on = found.comm if found.comm is not None else freed_by(found)
    known = process.registry.find("comm", on) if on is not None else None
    if isinstance(known, Comm) and known.header.name != "MPI_COMM_WORLD":
        words.append(_on(process, known))
    if (handle := window_of(found)) is not None:
        window = process.registry.find("win", handle)
        name = getattr(getattr(window, "header", None), "name", "")
        words.append(f"window {quoted(name)}" if name else "a window")
    if found.request_count and found.requests is not None and operation.request is None:
        words += _requests(found)
    return words


def _peers(found: Call) -> Iterable[tuple[str, int]]:
    if found.dest is not None:
        yield "dest", found.dest
    if found.dest is not None and found.tag is not None:
        yield "tag" if found.recvtag is None else "sendtag", found.tag
    if found.source is not None:
        yield "source", found.source
    if found.recvtag is not None:
        yield "recvtag", found.recvtag
    elif found.source is not None and found.dest is None and found.tag is not None:
        yield "tag", found.tag
    if found.root is not None:
        yield "root", found.root
    if found.target_rank is not None:
        yield "rank", found.target_rank


def _number(operation: Operation, name: str, value: int) -> str:
    known = ("MPI_ANY_TAG",) if name in _TAGS else _PEERS
    return operation.process.around.constant_name(value, *known) or str(value)


def _requests(found: Call) -> list[str]:
    waits = found.procedure in ("MPI_Waitall", "MPI_Waitany", "MPI_Waitsome")
    return [counted(found.request_count, "request")] if waits else []
