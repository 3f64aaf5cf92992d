# SPDX-License-Identifier: MIT
"""The facts about each MPI procedure: operation, form, buffers, and agreement between processes.

The facts are in procedure_table.py, which is generated from the MPI Forum's data and the rules in
wrapper/generator/agreement.py.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import procedure_table


@dataclass(frozen=True)
class BufferArguments:
    """The arguments that describe a communication buffer, by the standard's names.

    Attributes:
        role: the argument with the address.
        count: the argument with the count; "1" if there is none.
        times: the number of parts, of `count` entries each. "": one part. "peers", "partitions":
            one for each. "sources", "targets": one for each neighbor that sends to this process, or
            receives from it. If the count is an array: "each" peer has a count, or the buffer is
            this process's "own" entry, or the "sum" of all.
        at: the processes in which the buffer is significant, if not all: "root" or "leaf". On an
            intracommunicator all processes are leaves, also the root. On an intercommunicator the
            leaves are the processes of the group without the root.
    """

    role: str
    count: str
    datatype: str
    times: str
    at: tuple[str, ...] = ()

    @property
    def scalars(self) -> Mapping[str, str]:
        """The arguments that are one count or one datatype, with the attributes of Buffer."""
        if self.times in ("each", "own", "sum"):  # counts, and perhaps datatypes, are arrays
            return {}
        fields = {self.count: "count", self.datatype: "handle"}
        # If the procedure lacks the argument, the table has the constant 1 or MPI_PACKED.
        return {name: value for name, value in fields.items() if name.islower()}


class InPlace(NamedTuple):
    """The argument that MPI_IN_PLACE may replace.

    `where` selects the processes that may pass it: only the "root", "all" or none, or "any"
    process.
    """

    role: str
    where: str


class HandleArgument(NamedTuple):
    """A handle argument of a procedure that mpipp does not record."""

    name: str
    kind: str  # kind of the object, an item of `mpipp.model.KINDS`
    may_be_null: bool


class Marked(NamedTuple):
    """A procedure of which mpipp does not record the arguments, only that a thread is in it."""

    handles: tuple[HandleArgument, ...] = ()  # passed by value, in the order of the parameters
    needs_mpi: bool = False  # MPI must be initialized and not finalized


@dataclass(frozen=True)
class Procedure:
    """The facts about a procedure. Missing facts are empty or None."""

    name: str  # "MPI_Ibcast_c"
    operation: str  # "Bcast", for all forms of MPI_Bcast
    # "blocking" "nonblocking" "persistent" "partitioned" "request-based" "split begin" "split end"
    form: str
    large: bool  # has the suffix _c
    takes: tuple[str, ...] = ()  # fields of the call's record, in addition to buffers
    buffers: tuple[BufferArguments, ...] = ()
    in_place: InPlace | None = None
    over: str = ""  # scope of a collective call: "comm" "win" "file" "group" "groups"
    # The processes that a collective call needs or, for buffers, that send to each other: "from
    # root" "to root" "prefix" "exchange" "agree" "meet" "edges".
    flow: str = ""
    signatures: str = ""  # rule for signatures: "equal" "vector" "pairs"
    agree: Mapping[str, str] = field(default_factory=dict)  # arguments that must agree, and how
    statuses: str = ""  # argument for the status or statuses
    # The argument that returns whether a completed operation or a message was found.
    finds: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that a debugger may read."""
        roles = {buffer.role for buffer in self.buffers}
        every = {"count", "datatype"} if roles else set()
        every.update(name for buffer in self.buffers for name in buffer.scalars)
        return tuple(sorted({*self.takes, *roles, *every}))

    @property
    def returns_immediately(self) -> bool:
        """Return whether a call never waits for another process."""
        return self.form in ("nonblocking", "persistent", "partitioned", "request-based")

    @property
    def polls(self) -> bool:
        """Return whether the procedure tests for a completed operation or a message, and never
        waits."""
        return bool(self.finds)

    @property
    def among_neighbors(self) -> bool:
        """Return whether the peers are the neighbors in the communicator's topology."""
        return self.flow == "edges"

    @property
    def waits_for_nobody(self) -> bool:
        """Return whether a process need not wait for others in a collective call.

        See MPI-4.1, sections 7.4.3, 7.4.4 and 11.10.4.
        """
        return self.operation in ("Comm_set_info", "Comm_free", "Comm_disconnect")

    @property
    def reduces(self) -> bool:
        """Return whether the procedure is a reduction.

        Then the buffers of all senders and receivers must have equal signatures.
        """
        return "op" in self.agree


def procedure(name: str) -> Procedure:
    """Return the procedure with a name; if it is not in the table, only the name is known."""
    found = PROCEDURES.get(name)
    return found or Procedure(name, name.removeprefix("MPI_"), "blocking", False)


def marked(name: str) -> Marked:
    """Return the unrecorded procedure with a name; empty if it is not in the table."""
    return _all_marked().get(name, Marked())


def _buffers(text: str) -> Iterator[BufferArguments]:
    for buffer in text.split(", "):
        role, count, datatype, *at = buffer.split()
        count, _, times = count.partition("*")
        yield BufferArguments(role, count, datatype, times, tuple(at))


def _procedures(row: str) -> Iterator[Procedure]:
    named, *columns = row.split(" | ")
    operation, _, names = named.partition(": ")
    facts = dict(column.split(" ", 1) for column in columns)
    buffers = tuple(_buffers(facts["buffers"])) if "buffers" in facts else ()
    in_place = InPlace(*facts["in_place"].split()) if "in_place" in facts else None
    agree = dict(word.split("=") for word in facts.get("agree", "").split())
    for group in names.split("; "):
        form, bases = group.split(": ") if ": " in group else ("blocking", group)
        for base in bases.split():
            for large in (False, True)[: 1 + base.endswith("+")]:
                yield Procedure(
                    name=f"MPI_{base.rstrip('+')}{'_c' if large else ''}",
                    operation=operation,
                    form=form,
                    large=large,
                    takes=tuple(facts.get("takes", "").split()),
                    buffers=buffers,
                    in_place=in_place,
                    over=facts.get("over", ""),
                    flow=facts.get("flow", ""),
                    signatures=facts.get("signatures", ""),
                    agree=agree,
                    finds=facts.get("finds", ""),
                    statuses=facts.get("statuses", ""),
                )


@functools.cache
def _all_marked() -> Mapping[str, Marked]:
    return {name: found for row in _rows(procedure_table.MARKED) for name, found in _marked(row)}


def _marked(row: str) -> Iterator[tuple[str, Marked]]:
    # A row is "comm:comm info:info? ! = Comm_x Comm_y": handle arguments with their kinds, and the
    # procedures. "?" marks a handle that may be null, "!" a need for initialized MPI.
    given, _, names = row.partition(" = ")
    handles, needs_mpi = [], False
    for word in given.split():
        name, _, kind = word.partition(":")
        needs_mpi |= word == "!"
        if kind:
            handles.append(HandleArgument(name, kind.rstrip("?"), kind.endswith("?")))
    for name in names.split():
        yield f"MPI_{name}", Marked(tuple(handles), needs_mpi)


def _rows(table: str) -> Iterator[str]:
    # A row continues in indented lines.
    return iter(table.strip("\n").replace("\n  ", " ").split("\n"))


PROCEDURES = {
    found.name: found for row in _rows(procedure_table.TABLE) for found in _procedures(row)
}
NAMES = sorted(PROCEDURES)
LOGICAL = frozenset(procedure_table.LOGICAL.split())  # only their truth values must agree
