# SPDX-License-Identifier: MIT
"""`mpipp info`: the process, its MPI library, and the numbers of recorded objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.program import sessions
from mpipp.gdb.program.sessions import Session
from mpipp.model import KINDS, Broken, ProcessInfo


class Info(Command):
    """Show what mpipp knows of this process: MPI library, rank, wrapper, recorded objects.

    mpipp info           the process
    mpipp info NUMBER    the MPI_Info of a Fortran INTEGER handle
    """

    name = "mpipp info"

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"info{argument}")
        session = sessions.required()
        return print_.of_kind("info", argument, session) if argument else _lines(session)


def _lines(session: Session) -> Iterator[str]:
    info = session.registry.info
    yield f"process   {process(info)}"
    # The version string of MPICH also contains its configuration: keep the first line.
    version = " ".join(info.library_version.strip().partition("\n")[0].split())
    yield f"library   {version or 'not known before MPI_Init'}"
    yield f"wrapper   for {info.flavor}, built with {info.built_with}"
    counts = []
    for kind in KINDS:
        headers = session.registry.headers(kind)
        live = sum(isinstance(h, Broken) or not (h.predefined or h.null) for h in headers)
        if live:
            counts.append(f"{live} {kind}{'s' if live != 1 else ''}")
    yield f"objects   {', '.join(counts) or 'none made by the program'}"
    if info.dropped:
        yield f"dropped   {info.dropped} records, for lack of memory: some objects are unknown"


def process(info: ProcessInfo) -> str:
    """A process in words: its rank, its process id, and whether MPI is initialized."""
    rank = "rank unknown" if info.world_rank is None else f"rank {info.world_rank}"
    size = "" if info.world_size is None else f" of {info.world_size}"
    return f"{rank}{size}, pid {info.pid}, MPI {info.status}"
