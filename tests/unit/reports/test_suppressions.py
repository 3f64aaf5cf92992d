# SPDX-License-Identifier: MIT
"""Suppressions files: their syntax, and the findings that they match."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpipp.common.errors import MpippError
from mpipp.reports.suppressions import read
from mpipp.symbolizer.source_frames import Frame

FILE = """\
# a comment
[the row type of PETSc]
check = datatype-leak
library = libpetsc.so*

[the halo = known, see 12]
file = src/halo*.c
function = exchange_*
[every deadlock]
check = deadlock
"""
PETSC = Frame("is.c:3 in f, in libpetsc.so.3.18", "/usr/src/is.c", 3, "f", "libpetsc.so.3.18")
HALO = Frame("halo2.c:9 in exchange_x", "/home/you/src/halo2.c", 9, "exchange_x")
MAIN = Frame("main.c:4 in main", "/home/you/main.c", 4, "main")
LEAK, MISMATCH = ("datatype-leak", "datatype-leak"), ("type-mismatch", "message-types")


def test_what_is_suppressed(tmp_path: Path) -> None:
    path = tmp_path / "known"
    path.write_text(FILE)
    known = read(str(path))
    assert known.reason(LEAK, [PETSC]) == "the row type of PETSc"
    assert known.reason(MISMATCH, [PETSC]) == ""
    assert known.reason(LEAK, [MAIN]) == ""
    # All patterns of a suppression must match one place of the finding.
    assert known.reason(MISMATCH, [MAIN, HALO]) == "the halo = known, see 12"
    elsewhere = [MAIN._replace(function="exchange_x"), HALO._replace(function="main")]
    assert known.reason(MISMATCH, elsewhere) == ""
    assert known.reason(MISMATCH, [HALO._replace(path="/home/you/mysrc/halo2.c")]) == ""
    assert known.reason(MISMATCH, []) == ""
    assert known.reason(("deadlock", "deadlock"), []) == "every deadlock"
    assert read("").reason(LEAK, [MAIN]) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("check = deadlock\n", ":1: a line must be [REASON], or NAME = PATTERN below a [REASON]"),
        ("[a]\ncheck\n", ":2: a line must be [REASON], or NAME = PATTERN below a [REASON]"),
        ("[a]\ncheck = deadlock\n[a]\nfile = x\n", ":3: [a] is there twice"),
        ("[a]\nfile = x\nfile = y\n", ":3: file is there twice"),
        (
            "[ ]\ncheck = deadlock\n",
            ": [ ]: write between the brackets why mpipp suppresses the finding",
        ),
        ("[a]\n", ": [a]: write which findings to suppress, with check, function, file, library"),
        (
            "[a]\nfile =\n",
            ": [a]: write which findings to suppress, with check, function, file, library",
        ),
        ("[a]\nline = 3\n", ": [a]: line must be one of check, function, file, library"),
        (
            "[a]\ncheck = leek\n",
            ": [a]: there is no check leek: docs/reference/checks has them all",
        ),
    ],
)
def test_what_makes_no_sense(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "known"
    path.write_text(text)
    with pytest.raises(MpippError) as error:
        read(str(path))
    assert str(error.value) == f"{path}{said}"


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MpippError, match=r"none: No such file or directory$"):
        read(str(tmp_path / "none"))
    (tmp_path / "latin").write_bytes(b"[a]\ncheck = \xff\n")
    with pytest.raises(MpippError, match=r"latin: it is not UTF-8$"):
        read(str(tmp_path / "latin"))
