# SPDX-License-Identifier: MIT
"""Libraries whose own threads do not call MPI: MPI's, what it is built on, and numpy's."""

from __future__ import annotations

import re

_OWN = re.compile(
    r"/(libmpi|libmpich|libopen-|libpmi|libprrte|libevent|libuc[mpst]|libfabric|libpsm|libibverbs"
    r"|librdmacm|libhwloc|libopenblas|libscipy_openblas|libblis|libmkl|libtbb|mca_)[^/]*$"
)


def keeps_out(path: str) -> bool:
    """Whether a thread that began with a function in this file never calls MPI for the program."""
    return _OWN.search(path) is not None
