# SPDX-License-Identifier: MIT
"""Names in debug information stay text: gdb executes none, and no terminal obeys one.

The sender of a core file with its program chooses all of them.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from tests import support
from tests.fuzz import names

NAMES = {
    "commands": b"known\nshell touch canary\n",
    "python": b"known\npython open('canary', 'w')\n",
    "functions": b'$_shell("touch canary")',
    "quotes": b"\"'`\\;touch canary;",
    "escapes": b"\x1b]0;title\x07\x1b[31m\xc2\x9b2J\x7f",
    "bytes": b"\x9b31m\xff\xfe\xc3",
    "directions": "\u202ecod\u2066\u2028\u200f".encode(),
    "formats": b"%s%n{0}{}{x}",
    "expressions": b"a::b<c>(d)[1]{e}*&@",
    "answers": b"x {\n  private:\n    <incomplete type>\n",
}

IN_ALL = ("commands", "bytes", "expressions")
# For `make test`: names that gdb or a terminal might obey, and one of them in every language.
SHORT = {("commands", language) for language in names.LANGUAGES}
SHORT |= {(name, "c") for name in ("python", "functions", "escapes", "bytes")}
PAIRS = [
    pytest.param(*pair, marks=[pytest.mark.thorough] * (pair not in SHORT))
    for pair in itertools.product(NAMES, names.LANGUAGES)
    if pair[1] == "c" or pair[0] in IN_ALL
]


@pytest.mark.parametrize(("name", "language"), PAIRS)
def test_names(name: str, language: str, tmp_path: Path) -> None:
    mpi = support.find_mpi(support.MPI_IDS[0])
    program = names.renamed(names.program(language, mpi), NAMES[name], tmp_path / "program")
    live = names.said(program, [*names.commands(language), "gcore core"], mpi, tmp_path)
    assert list(names.wrong(live, tmp_path)) == []
    if name in ("commands", "escapes", "bytes"):
        dead = names.said(program, names.commands(language), mpi, tmp_path, tmp_path / "core")
        assert list(names.wrong(dead, tmp_path)) == []


def test_every_command_is_typed() -> None:
    modules = (support.ROOT / "mpipp" / "gdb" / "commands").glob("*.py")
    known = {
        word for path in modules for word in re.findall(r'name = "mpipp (\w+)"', path.read_text())
    }
    typed = {command.split()[1] for command in names.commands("c") if " " in command}
    assert known - typed == set()


def test_names_that_the_terminal_has_no_characters_for(tmp_path: Path) -> None:
    """A path with letters outside ASCII, in gdb with the C locale."""
    mpi = support.find_mpi(support.MPI_IDS[0])
    program = names.renamed(names.program("c", mpi), "caf\xe9_".encode(), tmp_path / "program")
    texts = names.said(program, names.commands("c"), mpi, tmp_path, charset="C")
    assert list(names.wrong(texts, tmp_path)) == []
    assert "caf\xe9_file" in dict(texts)["mpipp list calls"].decode()


def test_warnings_of_gdb(tmp_path: Path) -> None:
    """gdb warns about objects with a wrong virtual table, and writes the raw name."""
    mpi = support.find_mpi(support.MPI_IDS[0])
    whole = names.program("cc", mpi)
    program = names.renamed(whole, b'1e9"%s%n\x0c_vptr', tmp_path / "program", ["type"])
    texts = names.said(program, ["mpipp check", "mpipp compare"], mpi, tmp_path)
    assert list(names.wrong(texts, tmp_path)) == []
    assert not any(b"warning: can't find" in text for _, text in texts)
