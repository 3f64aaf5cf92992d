# SPDX-License-Identifier: MIT
"""`mpipp py`: the MPI objects in mpi4py objects, by their id() or by a Python variable."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

import gdb

from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import expressions
from mpipp.gdb.parser.expressions import Target
from mpipp.gdb.program import sessions
from mpipp.gdb.program.sessions import Session
from mpipp.model import KINDS, Broken, Object

# Offsets in CPython on 64-bit machines, not free-threaded. An object begins with its reference
# count and type. The type has its name and its base class at these offsets
# (Include/cpython/object.h).
_TYPE, _CONTENTS = 8, 16
_TYPE_NAME, _TYPE_BASE = 24, 256
_DEEPEST = 32
_KINDS = {f"mpi4py.MPI.{kind.capitalize()}": kind for kind in KINDS}


class Py(Command):
    """Show the MPI object of an mpi4py object.

    mpipp py ID ...      ID is the value of Python's id() for the object
    mpipp py NAME ...    a variable of the selected Python frame

    All other arguments are as in "mpipp TYPE ...". Names need Python's own gdb support
    (python-gdb.py) and debug information of Python.
    """

    name = "mpipp py"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        words = re.match(r"(\w+)(.*)$", argument, re.DOTALL)
        if words is None:
            raise MpippError('write "mpipp py ID", with the value of Python\'s id() for the object')
        session = sessions.required()
        word, rest = words.groups()
        address = expressions.number(word) if word[0].isdigit() else _named(word)
        found = _object(word, address, session)
        element, rest = expressions.element(rest)
        return print_.about(Target(word, found, element, rest.strip()), session)


def _object(word: str, address: int, session: Session) -> Object:
    try:
        kind = _kind(address, session)
        size = session.registry.info.handle_size
        handle = _unsigned(session.memory.read(address + _CONTENTS, size))
    except UnreadableMemory:
        kind = None
    if kind is None:
        raise MpippError(
            f"{word} is not an object of mpi4py: pass the value of id() for an mpi4py object"
        )
    found = session.registry.find(kind, handle)
    if found is None:
        raise MpippError(f"{word} is not an existing MPI object: its handle is {handle:#x}")
    if isinstance(found, Broken):
        raise MpippError(found.reason)
    return found


def _kind(address: int, session: Session) -> str | None:
    kind = _pointer(address + _TYPE, session)
    for _ in range(_DEEPEST):  # mpi4py's class may be several base classes away
        if not kind:
            return None
        name = session.memory.read(_pointer(kind + _TYPE_NAME, session), 24).split(b"\0")[0]
        found = _KINDS.get(name.decode("ascii", "replace"))
        if found:
            return found
        kind = _pointer(kind + _TYPE_BASE, session)
    return None


def _pointer(address: int, session: Session) -> int:
    return _unsigned(session.memory.read(address, 8))


def _unsigned(data: bytes) -> int:
    # gdb runs on the machine of the program, so both have the same byte order.
    return int.from_bytes(data, sys.byteorder)


def _named(name: str) -> int:
    # python-gdb.py, which comes with Python, knows the frames of Python if gdb has loaded it.
    support = sys.modules.get("libpython") or sys.modules.get("__main__")
    frame_class = getattr(support, "Frame", None)
    if frame_class is not None and hasattr(frame_class, "get_selected_python_frame"):
        frame = frame_class.get_selected_python_frame()
        code = frame.get_pyop() if frame is not None else None
        if code is not None:
            found, _ = code.get_var_by_name(name)
            if found is not None:
                return int(found.as_address())
        raise MpippError(f"there is no Python variable {name} in the selected frame")
    raise MpippError(
        f"gdb cannot see the Python variable {name}: load python-gdb.py, which comes with Python, "
        "or pass the value of id() for the object"
    )
