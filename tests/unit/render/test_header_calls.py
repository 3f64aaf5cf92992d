# SPDX-License-Identifier: MIT
"""Places of calls that libraries make in their headers."""

from __future__ import annotations

import pytest

from mpipp.render.header_calls import place

HEADER = ("irecv.hpp:36 in irecv", "/usr/include/boost/irecv.hpp")
OTHER = ("comm.hpp:9 in get", "/usr/include/boost/comm.hpp")
COMPILED = ("vector.cc:3 in at", "/usr/src/vector.cc")
MAIN = ("main.cc:12 in main", "/home/you/main.cc")


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        ((), ""),
        ((MAIN,), "main.cc:12 in main"),
        ((MAIN, HEADER), "main.cc:12 in main"),
        ((HEADER,), "irecv.hpp:36 in irecv"),
        ((HEADER, OTHER, MAIN), "irecv.hpp:36 in irecv, from main.cc:12 in main"),
        # Unknown frames are skipped. Files below the library's directory belong to the library.
        (
            (HEADER, ("libboost.so+0x12", ""), COMPILED, MAIN),
            "irecv.hpp:36 in irecv, from main.cc:12 in main",
        ),
        ((HEADER, OTHER), "irecv.hpp:36 in irecv"),
    ],
)
def test_the_line_beyond_the_header(calls: tuple[tuple[str, str], ...], text: str) -> None:
    assert place(calls) == text
