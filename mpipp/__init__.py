# SPDX-License-Identifier: MIT
"""mpipp shows what MPI sees: datatypes, communication buffers and every other MPI handle.

In Python, `TypeTree.from_mpi4py(datatype)` is where to begin. The datatype arithmetic (`typetree`,
`elements`, `values`, `show`) is pure Python and needs neither a debugger nor MPI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpipp.common.errors import AddressError, MpippError, UnreadableMemory

if TYPE_CHECKING:
    from mpipp.api.type_tree import TypeTree
    from mpipp.typetree import Datatype, Extents

__version__ = "0.1.0"
__all__ = ["AddressError", "Datatype", "Extents", "MpippError", "TypeTree", "UnreadableMemory"]


def __getattr__(name: str) -> object:
    # Debuggers, the watcher and the shell command start faster without what only Python programs
    # use; `mpipp exec` and the watcher are started for every run.
    if name == "TypeTree":
        from mpipp.api.type_tree import TypeTree

        return TypeTree
    if name in ("Datatype", "Extents"):
        from mpipp import typetree

        return getattr(typetree, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
