# SPDX-License-Identifier: MIT
"""What is known of each MPI procedure: its operation and form, its buffers, and what must agree
between the processes that call it.

The facts stand in procedure_table.py, which is generated from the MPI Forum's data and the rules in
wrapper/generator/agreement.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mpipp.model.procedure_table import MARKED, TABLE


@dataclass(frozen=True)
class BufferArguments:
    """The arguments that make a communication buffer, by the standard's names.

    `times` is how often the count stands for data: once (""), for each of the communicator's
    "peers", of the neighbors that send to this process ("sources") or get from it ("targets"), or
    of the "partitions"; or the argument is an array, with a count for "each" peer, or one of which
    this buffer is the process's "own" entry or the "sum".

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
    """The argument that MPI_IN_PLACE may stand for.

    At the "root" only, at "all" processes if at one, or at "any".
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
    """A procedure. What it has nothing of is empty or None."""

    name: str  # "MPI_Ibcast_c"
    operation: str  # "Bcast", for all forms of MPI_Bcast
    # "blocking" "nonblocking" "persistent" "partitioned" "request-based" "split begin" "split end"
    form: str
    large: bool  # a large-count form, with _c
    takes: tuple[str, ...] = ()  # fields of the call's record, beside buffers
    buffers: tuple[BufferArguments, ...] = ()
    in_place: InPlace | None = None
    over: str = ""  # what it is collective over: "comm" "win" "file" "group" "groups"
    # Whose part a collective call needs: "from root" "to root" "prefix" "exchange" "agree" "meet"
    flow: str = ""
    signatures: str = ""  # how those of buffers must agree: "equal" "vector" "pairs" "neighbors"
    agree: Mapping[str, str] = field(default_factory=dict)  # arguments that must, and how
    finds: str = ""  # the argument that says whether what it looks for is over, or there

    @property
    def arguments(self) -> tuple[str, ...]:
        """What a debugger may ask a call for."""
        roles = {buffer.role for buffer in self.buffers}
        every = {"count", "datatype"} if roles else set()
        return tuple(sorted({*self.takes, *roles, *every}))

    @property
    def returns_at_once(self) -> bool:
        """Whether a call waits for no other process, whatever its operation does."""
        return self.form in ("nonblocking", "persistent", "partitioned", "request-based")

    @property
    def polls(self) -> bool:
        """Whether it looks for what may be over, or there, and never waits for it."""
        return bool(self.finds)

    @property
    def among_neighbors(self) -> bool:
        """Whether the peers are the neighbors in the communicator's topology."""
        return self.signatures == "neighbors"


def of(name: str) -> Procedure:
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


PROCEDURES = {found.name: found for row in _rows(TABLE) for found in _procedures(row)}
NAMES = sorted(PROCEDURES)
_MARKED = {name: found for row in _rows(MARKED) for name, found in _marked(row)}
