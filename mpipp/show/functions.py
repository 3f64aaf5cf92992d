# SPDX-License-Identifier: MIT
"""Names of functions as a person knows them."""

from __future__ import annotations

import re

# What GCC and Clang make functions of: what is within an OpenMP directive.
_REGION = re.compile(r"(.*)\.(?:_omp_fn\.\d|omp_outlined).*")


def known_as(name: str) -> str:
    """The name, or that of the function in whose source a part of it stands."""
    found = _REGION.fullmatch(name)
    if found is None:
        return name
    return f"{found[1]} (OpenMP region)" if found[1] else "an OpenMP region"
