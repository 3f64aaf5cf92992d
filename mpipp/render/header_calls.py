# SPDX-License-Identifier: MIT
"""The line of the program for an MPI call in a library's header, as in C++ libraries."""

from __future__ import annotations

from collections.abc import Sequence


def library_of(path: str) -> str:
    """The directory below which a library is installed, if a source file is one of its headers.

    For example "/usr/" for "/usr/include/boost/mpi.hpp"; "" for other files. All files in that
    directory belong to the library, because a program may have a directory `include`, too.
    """
    before, found, _ = path.partition("/include/")
    return f"{before}/" if found else ""


def place(calls: Sequence[tuple[str, str]]) -> str:
    """Return a line for a call; "" if `calls` is empty.

    `calls` contains the call and its callers, innermost first, each as text and the path of its
    source ("" if unknown). If the call is in a library's header, the line also names the caller
    outside the library: "exchange.h:6 in exchange, from main.c:12 in main".
    """
    if not calls:
        return ""
    text, path = calls[0]
    library = library_of(path)
    others = (other for other, source in calls[1:] if source and not source.startswith(library))
    beyond = next(others, "") if library else ""
    return f"{text}, from {beyond}" if beyond else text


def own(calls: Sequence[tuple[str, int]]) -> tuple[str, int] | None:
    """The program's own line for a call, from the lines of the call and its callers; None if
    unknown.

    Each is a source path and a line number, innermost first.
    """
    known = [(path, line) for path, line in calls if path and line > 0]
    if not known:
        return None
    library = library_of(known[0][0])
    beyond = (one for one in known if not one[0].startswith(library))
    return next(beyond, known[0]) if library else known[0]
