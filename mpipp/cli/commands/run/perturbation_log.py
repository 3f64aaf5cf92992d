# SPDX-License-Identifier: MIT
"""The perturbations of one-sided operations in a run.

wrapper/perturb/rma/event_log.c writes them as lines, in one file for each process.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mpipp.common.text import wording
from mpipp.symbolizer.line_table import LineTable


class Operation(NamedTuple):
    """The name of a perturbed operation. The name is equal in all runs with the same behaviour."""

    rank: int  # in MPI_COMM_WORLD
    place: int  # number of the place in the program, in the order of first calls
    time: int  # number of the call at this place, from 1


class Done(NamedTuple):
    """The perturbation of an operation; `until` is None if MPI never received it."""

    operation: Operation
    procedure: str
    target: int
    at: str  # "queue.c:31"
    until: tuple[str, str] | None = None  # procedure, place
    parts: int = 1
    number: int = 1  # position among the operations that MPI received together, after reordering
    of: int = 1
    is_copied: bool = False
    is_flushed: bool = False

    def __str__(self) -> str:
        time = f", {wording.ordinal(self.operation.time)} time" if self.operation.time > 1 else ""
        called = f"rank {self.operation.rank}: {self.procedure} to {self.target} at {self.at}{time}"
        if self.until is None:
            return f"{called}: never passed to MPI"
        procedure, place = self.until
        said = ["at once" if self.until == (self.procedure, self.at) else f"{procedure} at {place}"]
        if said != ["at once"]:
            said[0] = f"deferred to {said[0]}"
        said += ["its data copied at the local completion"] if self.is_copied else []
        said += [f"{wording.ordinal(self.number)} of {self.of}"] if self.of > 1 else []
        said += [f"in {self.parts} parts"] if self.parts > 1 else []
        said += ["flushed"] if self.is_flushed else []
        return f"{called}: {', '.join(said)}"


def read(files: Iterable[tuple[int, bytes]]) -> dict[Operation, Done]:
    """Read the perturbations from the files, each with its rank. Skip damaged lines."""
    return {one.operation: one for rank, text in files for one in _of_process(rank, text)}


def _of_process(rank: int, text: bytes) -> Iterator[Done]:
    found: dict[Operation, Done] = {}
    for line in text.decode(errors="surrogateescape").split("\n")[:-1]:
        what, *words = line.split("\t")
        try:
            if what == "op":
                place, time, procedure, target, offset, path = words
                named = Operation(rank, int(place), int(time))
                found[named] = Done(named, procedure, int(target), _at(path, int(offset, 16)))
            else:
                _add(found, rank, words)
        except (KeyError, ValueError):
            continue
    yield from found.values()


def _add(found: dict[Operation, Done], rank: int, words: Sequence[str]) -> None:
    place, time, procedure, number, of, parts, copied, flushed, offset, path = words
    named = Operation(rank, int(place), int(time))
    found[named] = found[named]._replace(
        until=(procedure, _at(path, int(offset, 16))),
        parts=int(parts),
        number=int(number),
        of=int(of),
        is_copied=copied == "1",
        is_flushed=flushed == "1",
    )


@functools.cache
def _lines(path: str) -> LineTable:
    return LineTable(path)


@functools.cache
def _at(path: str, returns_to: int) -> str:
    lines = _lines(path)
    found = lines.line(returns_to - 1)
    if found is not None:
        return f"{found.file}:{found.line}"
    return lines.symbol(returns_to) or f"{returns_to:#x}"
