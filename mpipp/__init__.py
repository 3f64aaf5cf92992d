# SPDX-License-Identifier: MIT
"""mpipp shows what MPI sees: datatypes, communication buffers and every other MPI handle.

Python programs begin with `TypeTree.from_mpi4py(datatype)`. The datatype arithmetic (`typetree`,
`datatypes`) is pure Python and needs neither a debugger nor MPI.
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
    # Names that only Python programs use are loaded on demand. So debuggers, the watcher and the
    # shell command start faster; each run starts a watcher and `mpipp exec` for every process.
    if name == "TypeTree":
        from mpipp.api.type_tree import TypeTree

        return TypeTree
    if name in ("Datatype", "Extents"):
        from mpipp import typetree

        return getattr(typetree, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
