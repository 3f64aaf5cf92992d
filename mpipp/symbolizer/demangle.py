# SPDX-License-Identifier: MIT
"""Names of functions as a person knows them."""

from __future__ import annotations

import re

# The functions that GCC and Clang make from OpenMP directives.
_REGION = re.compile(r"(.*)\.(?:_omp_fn\.\d|omp_outlined|omp_task_entry).*")


def source_name(name: str) -> str:
    """The name, or that of the function in whose source a part of it stands.

    GCC names those of C++ as linkers do, which no person knows.
    """
    found = _REGION.fullmatch(name)
    if found is None:
        return name
    is_known = found[1] and not found[1].startswith("_Z")
    return f"{found[1]} (OpenMP region)" if is_known else "an OpenMP region"
