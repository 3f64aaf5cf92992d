# SPDX-License-Identifier: MIT
"""The facts of each MPI procedure: its operation and form, its buffers, and the agreement between
the processes that call it.

The facts stand in procedure_table.py, which is generated from the MPI Forum's data and the rules in
wrapper/generator/agreement.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mpipp.model import procedure_table


@dataclass(frozen=True)
class BufferArguments:
    """The arguments that make a communication buffer, by the standard's names.

    `times` is how many parts of `count` entries the buffer has. It has one (""), or one for each of
    the communicator's "peers", or of the "partitions". It may have one for each of the neighbors
    that send to this process ("sources") or receive from it ("targets"). If the argument is an
    array, it has a count for "each" peer, or this buffer is the process's "own" entry or the "sum".

    `at` is where the buffer counts, if not in every process: at the "root" only, or at every
    "leaf". On an intracommunicator all processes are leaves, the root too; on an intercommunicator
    those of the other group than the root's.
    """

    role: str  # the address
    count: str  # "1": it has none
    datatype: str
    times: str
    at: tuple[str, ...] = ()


class InPlace(NamedTuple):
    """The argument that MPI_IN_PLACE may replace.

    It may do so at the "root" only, in "all" processes or in none, or in "any" process.
    """

    role: str
    where: str


class HandleArgument(NamedTuple):
    """A handle argument of a procedure of which nothing is recorded."""

    name: str
    kind: str  # of object, one of `mpipp.model.KINDS`
    may_be_null: bool


class Marked(NamedTuple):
    """A procedure of which nothing is recorded but that a thread is inside of it."""

    handles: tuple[HandleArgument, ...] = ()  # by value, in the order of its parameters
    needs_mpi: bool = False  # MPI must be initialized, and not finalized


@dataclass(frozen=True)
class Procedure:
    """A procedure. Missing parts are empty or None."""

    name: str  # "MPI_Ibcast_c"
    operation: str  # "Bcast", for all forms of MPI_Bcast
    # "blocking" "nonblocking" "persistent" "partitioned" "request-based" "split begin" "split end"
    form: str
    large: bool  # a large-count form, with _c
    takes: tuple[str, ...] = ()  # fields of the call's record, beside buffers
    buffers: tuple[BufferArguments, ...] = ()
    in_place: InPlace | None = None
    over: str = ""  # what it is collective over: "comm" "win" "file" "group" "groups"
    # Which processes a collective call needs; with buffers, which sends to which: "from root"
    # "to root" "prefix" "exchange" "agree" "meet" "edges"
    flow: str = ""
    signatures: str = ""  # which of these must be equal: "equal" "vector" "pairs"
    agree: Mapping[str, str] = field(default_factory=dict)  # arguments that must, and how
    statuses: str = ""  # the argument for the status, or statuses, that it stores
    finds: str = ""  # the argument that returns whether there is a completed operation or a message

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that a debugger may read."""
        roles = {buffer.role for buffer in self.buffers}
        every = {"count", "datatype"} if roles else set()
        return tuple(sorted({*self.takes, *roles, *every}))

    @property
    def returns_immediately(self) -> bool:
        """Return whether a call waits for no other process, for any operation."""
        return self.form in ("nonblocking", "persistent", "partitioned", "request-based")

    @property
    def polls(self) -> bool:
        """Return whether it tests for a completed operation or a message, and never waits."""
        return bool(self.finds)

    @property
    def among_neighbors(self) -> bool:
        """Return whether the peers are the neighbors in the communicator's topology."""
        return self.flow == "edges"

    @property
    def reduces(self) -> bool:
        """Return whether it is a reduction: all buffers must be equal, for all senders and
        receivers.
        """
        return "op" in self.agree


def procedure(name: str) -> Procedure:
    """The procedure of that name, with nothing known but the name if it is not in the table."""
    found = PROCEDURES.get(name)
    return found or Procedure(name, name.removeprefix("MPI_"), "blocking", False)


def marked(name: str) -> Marked:
    """The procedure of that name of which nothing is recorded; of others nothing is known."""
    return _MARKED.get(name, Marked())


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


def _marked(row: str) -> Iterator[tuple[str, Marked]]:
    # "comm:comm info:info? ! = Comm_x Comm_y"
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
    # Further lines of a row are indented.
    return iter(table.strip("\n").replace("\n  ", " ").split("\n"))


PROCEDURES = {
    found.name: found for row in _rows(procedure_table.TABLE) for found in _procedures(row)
}
NAMES = sorted(PROCEDURES)
LOGICAL = frozenset(procedure_table.LOGICAL.split())  # arguments: all true values agree
_MARKED = {name: found for row in _rows(procedure_table.MARKED) for name, found in _marked(row)}
