# SPDX-License-Identifier: MIT
"""docs/checks.md, what watched runs alone see: each program gives the report printed there, and
corrected none."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.docs.test_checks import CHECKS, compiled, patched, same
from tests.support import MPI, on_mpi, shell

_SECTION = re.compile(
    r"<!-- watched: (?P<name>[\w-]+) -->\n"
    r"```c\n(?P<program>.*?)```\n.*?"
    r"```console\n\$ (?P<command>.*?)\n(?P<report>.*?)```\n.*?"
    r"```diff\n(?P<correction>.*?)```\n",
    re.DOTALL,
)
# What else is on the stream is the launcher's.
_BLOCK = re.compile(r"(?m)^(?:error|warning): .*\n(?:  .*\n)+")


class Section(NamedTuple):
    """A program, the command that watches it, what that reports, and the correction."""

    name: str
    program: str
    command: str
    report: str
    correction: str


SECTIONS = [Section(*found.groups()) for found in _SECTION.finditer(CHECKS.read_text())]


def watched(section: Section, mpi: MPI, text: str, kind: str = "") -> tuple[str, str]:
    """What the command reports of the program, and the last line."""
    program = compiled(f"{section.name}{kind}", text, mpi)
    typed = re.fullmatch(rf"mpipp run (--check\S*) -n 2 -- \./{section.name}", section.command)
    assert typed, section.command
    words = ["run", typed[1], "--mpiexec", " ".join(mpi.mpiexec), "-n", "2", "--"]
    said = shell(*words, program).stderr
    return "".join(_BLOCK.findall(said)), said.splitlines()[-1]


@on_mpi("mpich4")
@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_told_and_silent_when_corrected(section: Section, mpi: MPI) -> None:
    found, last = watched(section, mpi, section.program)
    severity = found.partition(":")[0]
    assert same(found) == same(mpi.cited(section.report))
    assert re.fullmatch(rf"mpipp: 1 {severity} in 2 processes, \d+ calls(, 1 question)?", last)
    corrected = patched(section.program, section.correction)
    found, last = watched(section, mpi, corrected, "-corrected")
    assert found == ""
    assert re.fullmatch(r"mpipp: no errors in 2 processes, \d+ calls", last)
