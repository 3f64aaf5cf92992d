# SPDX-License-Identifier: MIT
"""Libraries whose own threads do not call MPI: MPI's, what it is built on, and numpy's."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

# MPI's own, as each library, Cray's of each compiler, and the layers for Fortran and C++ are named;
# packages of Python add a hash.
_MPI = (
    r"(ch[^/]*|cxx|_cxx|_java|fort|_mpifh|_usempi(f08|_ignore_tkr)?|_abi|_abi_fortran"
    r"|_(gnu|cray|intel|nvidia|amd)(_\d+)?)?(-gfortran|-[0-9a-f]{8})?\.so[^/]*"
)
_OWN = re.compile(
    rf"/(libmpi{_MPI}|(libopen-|libpmi|libprrte|libevent|libuc[mpst]|libfabric|libpsm|libibverbs"
    r"|librdmacm|libhwloc|libopenblas|libscipy_openblas|libblis|libmkl|mca_)[^/]*)$"
)
_C = ("libc.", "libc-", "libpthread")  # the C library's: what begins a thread


def keeps_out(path: str) -> bool:
    """Return whether a thread that began with a function in this file never calls MPI for the
    program.
    """
    return _OWN.search(path) is not None


def all_keep_out(files: Sequence[str]) -> bool:
    """Return whether a thread with frames in these files, innermost first, never calls MPI; "":
    none, the program's.

    One of the program's speaks against it: a library calls it, which may call MPI.
    """
    if not files or not os.path.basename(files[-1]).startswith(_C):
        return False  # it is not seen where it began
    others = [file for file in files if not os.path.basename(file).startswith(_C)]
    return bool(others) and all(map(keeps_out, others))
