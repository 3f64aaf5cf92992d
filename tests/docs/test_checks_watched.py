# SPDX-License-Identifier: MIT
"""docs/reference/checks, programs that need a watched run.

Each program gives the report in the page, and its correction gives none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.docs.test_checks import PAGES, compiled, patched, same
from tests.support import MPI, on_mpi, shell, with_short_points, without_points

_SECTION = re.compile(
    r"<!-- watched: (?P<name>[\w-]+) -->\n"
    r"```c\n(?P<program>.*?)```\n.*?"
    r"```console\n\$ (?P<command>.*?)\n(?P<report>.*?)```\n.*?"
    r"```diff\n(?P<correction>.*?)```\n",
    re.DOTALL,
)
# Other lines on this stream come from the launcher.
LAST = (
    r"\([\d,]+ MPI calls checked\)"
    r"(; some accesses to buffers of pending operations not checked \(compile with mpipp cc\))?"
)
_BLOCK = re.compile(r"(?m)^(?:\S+: )?(?:error|warning|remark): .*\n(?:  .*\n)+")
_DIED = re.compile(
    r"(?m)^(?:\S+: )?remark: (?:a process has|2 processes have) died .*\n(?:  .*\n)+"
)


class Section(NamedTuple):
    """A program, the command that watches it, its report, and the correction."""

    name: str
    program: str
    command: str
    report: str
    correction: str


SECTIONS = [
    Section(*found.groups()) for page in PAGES for found in _SECTION.finditer(page.read_text())
]


def watched(section: Section, mpi: MPI, text: str, kind: str = "") -> tuple[str, str]:
    """The report of the command about the program, and the last line."""
    program = compiled(f"{section.name}{kind}", text, mpi)
    typed = re.fullmatch(rf"mpipp run (--check\S*) -n (\d) -- \./{section.name}", section.command)
    assert typed, section.command
    words = ["run", typed[1], "--mpiexec", " ".join(mpi.mpiexec), "-n", typed[2], "--"]
    said = with_short_points(shell(*words, program).stderr)
    said = _DIED.sub("", said)  # the death follows from the reported error
    return "".join(_BLOCK.findall(said)), said.splitlines()[-1]


@pytest.mark.each_case
@on_mpi("mpich4")
@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_told_and_silent_when_corrected(section: Section, mpi: MPI) -> None:
    found, last = watched(section, mpi, section.program)
    severity = without_points(found).partition(":")[0]
    assert same(found) == same(mpi.cited(section.report))
    number = re.search(r"-n (\d)", section.command)
    of_all = f"in {number[1] if number else 0} processes {LAST}"
    counted = "no errors" if severity == "remark" else f"1 {severity}"
    assert re.fullmatch(rf"mpipp: {counted} {of_all}", last)
    corrected = patched(section.program, section.correction)
    found, last = watched(section, mpi, corrected, "-corrected")
    assert found == ""
    assert re.fullmatch(rf"mpipp: no errors {of_all}", last)
