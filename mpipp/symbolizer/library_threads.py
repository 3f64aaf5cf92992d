# SPDX-License-Identifier: MIT
"""Libraries with threads that never call MPI: the MPI library, the libraries that it uses, and
numpy's."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

# Names of MPI's own library: of each implementation, of Cray's compilers, and of the layers for
# Fortran and C++. Python packages add a hash.
_MPI = (
    r"(ch[^/]*|cxx|_cxx|_java|fort|_mpifh|_usempi(f08|_ignore_tkr)?|_abi|_abi_fortran"
    r"|_(gnu|cray|intel|nvidia|amd)(_\d+)?)?(-gfortran|-[0-9a-f]{8})?\.so[^/]*"
)
_OWN = re.compile(
    rf"/(libmpi{_MPI}|(libopen-|libpmi|libprrte|libevent|libuc[mpst]|libfabric|libpsm|libibverbs"
    r"|librdmacm|libhwloc|libopenblas|libscipy_openblas|libblis|libmkl|mca_)[^/]*)$"
)
_C = ("libc.", "libc-", "libpthread")  # the C library, whose functions begin threads


def keeps_out(path: str) -> bool:
    """Return whether a thread that begins in this file never calls MPI for the program."""
    return _OWN.search(path) is not None


def all_keep_out(files: Sequence[str]) -> bool:
    """Return whether a thread with frames in these files never calls MPI.

    The files are sorted innermost first; "" stands for a frame without a file. If one of them is
    the program's, a library has called the program, which may call MPI.
    """
    if not files or not os.path.basename(files[-1]).startswith(_C):
        return False  # the stack is incomplete: the thread's beginning is missing
    others = [file for file in files if not os.path.basename(file).startswith(_C)]
    return bool(others) and all(map(keeps_out, others))
