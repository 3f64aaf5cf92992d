# SPDX-License-Identifier: MIT
"""Calls that a library makes in its headers, as those of C++ do: the program's line is beyond."""

from __future__ import annotations

from collections.abc import Sequence


def library_of(path: str) -> str:
    """The directory below which a library is installed, if a source file is a header of one.

     "/usr/" for "/usr/include/boost/mpi.hpp"; "" for other files. Other files there belong to the
    same library: a program may have a directory `include`, too.
    """
    before, found, _ = path.partition("/include/")
    return f"{before}/" if found else ""


def place(calls: Sequence[tuple[str, str]]) -> str:
    """One line for a call, of what is known of it and its callers, innermost first; "" of none.

    Each is its text and the path of its source, "" if that is not known. Where the first is in a
    library's header also the first beyond: "exchange.h:6 in exchange, from main.c:12 in main".
    """
    if not calls:
        return ""
    text, path = calls[0]
    library = library_of(path)
    others = (other for other, source in calls[1:] if source and not source.startswith(library))
    beyond = next(others, "") if library else ""
    return f"{text}, from {beyond}" if beyond else text


def own(calls: Sequence[tuple[str, int]]) -> tuple[str, int] | None:
    """The program's own line among those of a call and its callers; None if there is none.

    Each is the path of its source and the number of the line, innermost first.
    """
    known = [(path, line) for path, line in calls if path and line > 0]
    if not known:
        return None
    library = library_of(known[0][0])
    beyond = (one for one in known if not one[0].startswith(library))
    return next(beyond, known[0]) if library else known[0]
