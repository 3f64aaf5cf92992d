# SPDX-License-Identifier: MIT
"""The MPI library's text for an error code, in one line."""

from __future__ import annotations

import pytest

from mpipp.registry.decode.returned_codes import summary

STACK = """File does not exist, error stack:
ADIOI_UFS_OPEN(39): File /tmp/none does not exist"""
CUT = """Other MPI error, error stack:
internal_Comm_dup(85)..: MPI_Comm_dup(MPI_COMM_WORLD, newcomm=0x7ff"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("MPI_ERR_TAG: invalid tag", "MPI_ERR_TAG: invalid tag"),
        (STACK, "File /tmp/none does not exist"),
        (CUT, "Other MPI error"),
        ("bell \a", "bell \\a"),
    ],
)
def test_summary(text: str, line: str) -> None:
    assert summary(text) == line
