# SPDX-License-Identifier: MIT
"""Type-trees of mpi4py datatypes, with the sizes and bounds that the MPI library reports.

Needs mpi4py and an initialized MPI. Everything is read with MPI_Type_get_envelope and
MPI_Type_get_contents (MPI-4.1, section 5.1.13) through mpi4py's `Datatype.decode`.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple

from mpipp.common.errors import MpippError
from mpipp.typetree import ARGUMENTS, Datatype, Extents


def from_mpi4py(datatype: Any) -> Datatype:
    """Return the type-tree of `datatype`, an mpi4py `MPI.Datatype`.

    Equal components are one object. Raises MpippError if `datatype` is no datatype, is the null
    datatype (mpi4py's value after a free), or has an unknown combiner. Also raises it if mpi4py is
    missing or MPI is not initialized.
    """
    mpi = _checked(datatype)
    work = _Reading(mpi)
    try:
        return work.tree(datatype)
    except mpi.Exception as error:
        raise MpippError(f"MPI cannot describe this datatype: {error}") from None
    finally:
        work.free()


def standard() -> tuple[int, int] | None:
    """Return the MPI standard's version of mpi4py's library; None before mpi4py is imported."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None:
        return None
    major, minor = mpi.Get_version()
    return major, minor


def _checked(datatype: Any) -> Any:
    # Returns the module mpi4py.MPI, after checks that `datatype` can be queried.
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise MpippError(
            f"cannot import mpi4py.MPI ({error}): install mpi4py and an MPI library"
        ) from None
    if not isinstance(datatype, MPI.Datatype):
        kind = type(datatype).__name__
        raise MpippError(f"expected an MPI.Datatype, not {kind}")
    if not MPI.Is_initialized() or MPI.Is_finalized():
        raise MpippError(
            "MPI describes datatypes only between MPI_Init and MPI_Finalize: create the type-tree "
            "there"
        )
    if datatype == MPI.DATATYPE_NULL:
        raise MpippError("MPI_DATATYPE_NULL has no type-tree: pass a datatype that is not freed")
    return MPI


class _Contents(NamedTuple):
    combiner: str
    found: dict[str, Any]
    parts: list[Any]


class _Reading:
    # One walk through a datatype. The component handles from MPI are freed only at the end of the
    # walk. Until then MPI cannot reuse a handle's value, so each value stands for one datatype.

    def __init__(self, mpi: Any) -> None:
        self._mpi = mpi
        self._handles: list[Any] = []
        self._opened: dict[bytes, _Contents] = {}
        self._done: dict[bytes, Datatype] = {}
        self._alike: dict[object, Datatype] = {}

    def tree(self, datatype: Any) -> Datatype:
        # Components first and without recursion: a chain of constructors may be very long.
        pending = [datatype]
        while pending:
            one = pending[-1]
            key = self._key(one)
            if key in self._done:
                pending.pop()
            elif key not in self._opened:
                contents = self._opened[key] = self._contents(one)
                pending.extend(contents.parts)
            else:
                self._done[key] = self._made(one, self._opened[key])
        return self._done[self._key(datatype)]

    def free(self) -> None:
        for handle in self._handles:
            handle.Free()

    def _key(self, datatype: Any) -> bytes:
        # The handle's own bytes.
        return ctypes.string_at(self._mpi._addressof(datatype), self._mpi._sizeof(datatype))

    def _contents(self, datatype: Any) -> _Contents:
        decoded = datatype.decode()
        # mpi4py 3.1 returns a predefined datatype undecoded.
        named = isinstance(decoded, self._mpi.Datatype)
        base, combiner, found = (decoded, "NAMED", {}) if named else decoded
        if combiner not in ARGUMENTS:
            raise MpippError(f"mpipp does not know the combiner {combiner} of this datatype")
        if combiner == "NAMED" or combiner.startswith("F90_"):
            parts = []
        elif combiner == "STRUCT":
            parts = found["datatypes"]
        elif combiner == "VALUE_INDEX":
            parts = [found["value"], found["index"]]
        else:
            parts = [base]
        self._handles += [part for part in parts if not part.is_predefined]
        return _Contents(combiner, found, parts)

    def _made(self, datatype: Any, contents: _Contents) -> Datatype:
        combiner = contents.combiner
        arguments = _arguments(self._mpi, combiner, contents.found)
        components = tuple(self._done[self._key(part)] for part in contents.parts)
        name, reported = _name(datatype, combiner), _reported(datatype)
        likeness = combiner, tuple(arguments.values()), components, name, reported
        if likeness not in self._alike:
            made = Datatype(combiner, arguments, components, name, reported, datatype)
            self._alike[likeness] = made
        return self._alike[likeness]


def _name(datatype: Any, combiner: str) -> str:
    # Names that Open MPI sets by itself: "Dup MPI_INT", "MPI_EMPTY", "COMBINER MPI_DOUBLE_COMPLEX".
    name = str(datatype.name)
    if combiner != "NAMED" and name.startswith(("Dup ", "MPI_EMPTY", "COMBINER ")):
        return ""
    return name


def _reported(datatype: Any) -> Extents:
    lb, extent = datatype.Get_extent()
    true_lb, true_extent = datatype.Get_true_extent()
    return Extents(datatype.Get_size(), lb, extent, true_lb, true_extent)


def _arguments(mpi: Any, combiner: str, found: dict[str, Any]) -> dict[str, Any]:
    words: dict[str, dict[Any, Any]] = {
        "order": {mpi.ORDER_C: "C", mpi.ORDER_FORTRAN: "FORTRAN"},
        "distribs": {
            mpi.DISTRIBUTE_BLOCK: "BLOCK",
            mpi.DISTRIBUTE_CYCLIC: "CYCLIC",
            mpi.DISTRIBUTE_NONE: "NONE",
        },
        "dargs": {mpi.DISTRIBUTE_DFLT_DARG: None},
    }
    result: dict[str, Any] = {}
    for name in ARGUMENTS[combiner]:
        if name == "count" and name not in found:
            value: Any = len(found["displacements"])
        elif name == "ndims":
            value = len(found["sizes" if combiner == "SUBARRAY" else "gsizes"])
        else:
            value = found[name]
        known = words.get(name, {})
        if isinstance(value, list):
            value = tuple(known.get(item, item) for item in value)
        result[name] = known.get(value, value) if name == "order" else value
    return result
