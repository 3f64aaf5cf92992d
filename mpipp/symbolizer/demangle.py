# SPDX-License-Identifier: MIT
"""Names of functions in the form that programmers know."""

from __future__ import annotations

import re

# The functions that GCC and Clang create from OpenMP directives.
_REGION = re.compile(r"(.*)\.(?:_omp_fn\.\d|omp_outlined|omp_task_entry).*")


def source_name(name: str) -> str:
    """Return a function's name; for a function made from an OpenMP region, the function around it.

    GCC gives regions in C++ functions mangled names, which are replaced by "an OpenMP region".
    """
    found = _REGION.fullmatch(name)
    if found is None:
        return name
    is_known = found[1] and not found[1].startswith("_Z")
    return f"{found[1]} (OpenMP region)" if is_known else "an OpenMP region"
