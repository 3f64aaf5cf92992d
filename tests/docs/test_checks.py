# SPDX-License-Identifier: MIT
"""docs/checks.md: each program gives the report printed there, and none when it is corrected.

With MPIPP_UPDATE_DOCS=1 reports that differ are replaced by what gdb prints, and the index of rules
is written.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from mpipp.analysis.rules import RULES, cited
from mpipp.model import procedures
from tests.support import (
    BUILD,
    MPI,
    ROOT,
    compile_program,
    end,
    find_mpi,
    gdb_batch,
    gdb_batches,
    on_mpi,
)

CHECKS = ROOT / "docs" / "checks.md"
PROMPT = "(gdb) "
INDEX = "<!-- what follows is written by test_update -->\n\n"
AGREEMENTS = "<!-- this table is written by test_update -->\n\n"

_SECTION = re.compile(
    r"<!-- check: (?P<name>[\w-]+)(, (?P<processes>\d) processes)? -->\n"
    r"```c\n(?P<program>.*?)```\n.*?"
    r"```gdb\n(?P<session>.*?)```\n.*?"
    r"```diff\n(?P<correction>.*?)```\n",
    re.DOTALL,
)


class Section(NamedTuple):
    """One check: an erroneous program, the session that finds the error, the correction."""

    name: str
    processes: int
    program: str
    stop: list[str]
    command: str
    report: str
    corrected: str


def read_sections(text: str) -> list[Section]:
    sections = []
    for found in _SECTION.finditer(text):
        commands = found["session"].split(PROMPT)[1:]
        last, _, report = commands[-1].partition("\n")
        stop = [command.partition("\n")[0] for command in commands[:-1]]
        corrected = patched(found["program"], found["correction"])
        processes = int(found["processes"] or 1)
        sections.append(
            Section(found["name"], processes, found["program"], stop, last, report, corrected)
        )
    return sections


def patched(program: str, correction: str) -> str:
    """The program with the lines after `-` replaced by those after `+`, hunk by hunk."""
    for hunk in re.findall(r"(?:^-.*\n)*(?:^\+.*\n)+|(?:^-.*\n)+", correction, re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] == "-")
        new = "".join(line[1:] for line in lines if line[0] == "+")
        assert old, f"a correction replaces nothing:\n{hunk}"
        assert program.count(old) == 1, f"not once in the program:\n{old}"
        program = program.replace(old, new)
    return program


def compiled(name: str, text: str, mpi: MPI) -> Path:
    directory = BUILD / "checks"
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}.c"
    if not path.exists() or path.read_text() != text:
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(text)
        partial.rename(path)
    return compile_program(path, mpi)


def same(text: str) -> str:
    """A report without what differs from run to run: addresses, serials and threads, by order.

    Nor what MPI_BSEND_OVERHEAD is part of.
    """
    seen: dict[str, str] = {}
    return re.sub(
        r"0x[0-9a-f]+|#\d+|(?<=in thread )\d+|(?<=sends need )\d+|(?<=attached buffer has )\d+"
        r"|(?<=attached buffer, )\d+",
        lambda found: seen.setdefault(found[0], f"<{len(seen)}>"),
        text,
    )


def index() -> str:
    """The table of all rules, as it stands at the end of the page."""
    rows = ["| rule | word | section | in MPI-3.1 | class | MUST |", "|---|---|---|---|---|---|"]
    for rule in RULES.values():
        older = re.sub("MPI-3.1, sections? |^MPI-4.1.*", "", cited(rule.section, (3, 1)))
        must = f"`{rule.must}`" if rule.must else ""
        error_class = rule.error_class.format(error_class="the handle's")
        cells = (f"`{rule.id}`", f"`{rule.check}`", rule.section, older, error_class, must)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([*rows, ""])


def with_tables(text: str) -> str:
    """The page with both tables as they are."""
    before, _, rest = text.partition(INDEX)[0].partition(AGREEMENTS)
    after = rest[rest.index("\n## ") :]
    return before + AGREEMENTS + agreements() + after + INDEX + index()


def agreements() -> str:
    """The table of what the processes of a collective operation must agree in, with its tests."""
    tests = rows_by_operation()
    head = "| operation | over | types | arguments | MPI_IN_PLACE | tested |"
    rows = [head, "|---|---|---|---|---|---|"]
    seen: set[str] = set()
    for one in procedures.PROCEDURES.values():
        if not one.over or one.operation in seen:
            continue
        seen.add(one.operation)
        agree = ", ".join(n if how == "equal" else f"{n}: {how}" for n, how in one.agree.items())
        place = f"{one.in_place.role}: {one.in_place.where}" if one.in_place else ""
        tested = ", ".join(tests.get(one.operation, []))
        cells = [f"`{one.operation}`", one.over, one.signatures, agree, place, tested]
        rows.append(f"| {' | '.join(cells)} |".replace("  ", " "))
    return "\n".join([*rows, ""])


# What hangs, in tests/analysis/deadlock/programs/hanging.c and sessions.c, for want of a collective
# call.
HANGING = (
    "participant", "order", "creation", "broadcast", "ibarrier", "graph", "persistent_collective",
    "file", "leaders", "group_tag", "groups",
    "stringtag", "group", "between_stringtag",
)  # fmt: skip


def rows_by_operation() -> dict[str, list[str]]:
    """The functions of tests/watcher/programs/agree/, by the operation that differs in them.

    Then those of `HANGING`, by that which does not come, and those of begin.c, by the last one.
    """
    programs = ROOT / "tests" / "watcher"
    including = (programs / "programs" / "agree.c").read_text()
    themes = re.findall(r'#include "(agree/\w+\.h)"', including)
    text = "".join((programs / "programs" / theme).read_text() for theme in themes)
    wrong = re.findall(
        r'^    "(\w+)"(?:: \(|,$)',
        (programs / "strict" / "test_agreement.py").read_text(),
        re.MULTILINE,
    )
    found: dict[str, list[str]] = {}
    hangs = ROOT / "tests" / "analysis" / "deadlock" / "programs"
    hanging = "".join((hangs / name).read_text() for name in ("hanging.c", "sessions.c"))
    rows = re.findall(r"\nROW\((\w+)\) \{\n(.*?)\n\}", text, re.DOTALL)
    rows += re.findall(r"\nstatic void (\w+)\(void\) \{\n(.*?)\n\}", hanging, re.DOTALL)
    for name, body in rows:
        if name not in wrong and name not in HANGING:
            continue
        called = [procedures.of(one) for one in re.findall(r"\bMPI_[A-Z]\w*(?=\()", body)]
        frees = ("Comm_free", "Win_free", "File_close")
        collective = [one.operation for one in called if one.over and one.operation not in frees]
        found.setdefault(collective[-1] if collective else "File_open", []).append(name)
    refused = (programs / "programs" / "begin.c").read_text()
    for name, body in re.findall(r"\nROW\((\w+)\) \{\n(.*?)\n\}", refused, re.DOTALL):
        called = [procedures.of(one) for one in re.findall(r"\bMPI_[A-Z]\w*(?=\()", body)]
        operation = [one.operation for one in called if one.over][-1]
        found.setdefault(operation, []).append(f"{name}*")
    return found


def report(section: Section, mpi: MPI, text: str, kind: str) -> str:
    program = compiled(f"{section.name}{kind}", text, mpi)
    if section.processes == 1:
        return gdb_batch([section.command], program=program, mpi=mpi, stop=section.stop)
    with waiting(program, section.processes, mpi) as pids:
        stop = [f"attach {pids[0]}"]
        for number, pid in enumerate(pids[1:], 2):
            stop += ["add-inferior", f"inferior {number}", f"attach {pid}"]
        # When gdb ends, it says what it lets go.
        return gdb_batch([section.command], mpi=mpi, stop=stop).partition("[Inferior")[0]


@contextmanager
def waiting(program: Path, processes: int, mpi: MPI) -> Iterator[list[int]]:
    """The processes that have said "rank R is process P" and wait for a debugger, by rank."""
    words = [*mpi.mpiexec, "-n", str(processes), "env", f"LD_PRELOAD={mpi.wrapper}", str(program)]
    with subprocess.Popen(words, env=dict(mpi.env), stderr=subprocess.PIPE, text=True) as launcher:
        assert launcher.stderr
        try:
            found: dict[int, int] = {}
            for line in launcher.stderr:
                words = line.split()
                if line.startswith("rank "):
                    found[int(words[1])] = int(words[4])
                if len(found) == processes:
                    break
            yield [found[rank] for rank in range(processes)]
        finally:
            end(launcher)


SECTIONS = read_sections(CHECKS.read_text())
# Those of one process, a quarter in one gdb.
ALONE = [section for section in SECTIONS if section.processes == 1]
SEVERAL = [section for section in SECTIONS if section.processes > 1]
each_quarter = pytest.mark.parametrize("number", range(4))
each_of_several = pytest.mark.parametrize("section", SEVERAL, ids=lambda section: section.name)


def is_for(section: Section, mpi: MPI) -> bool:
    """Whether the library has what the program calls."""
    return mpi.has_sessions or "MPI_Psend_init" not in section.program


def reports(sections: list[Section], mpi: MPI, kind: str) -> Iterator[tuple[Section, str]]:
    """Of programs of one process; kind: "", or "-corrected"."""
    looked_at = []
    for one in sections:
        text = one.corrected if kind else one.program
        program = compiled(f"{one.name}{kind}", text, mpi)
        looked_at.append((program, one.stop, [one.command]))
    return zip(sections, gdb_batches(looked_at, mpi))


@on_mpi("mpich4", "openmpi4")
@each_quarter
def test_reported(number: int, mpi: MPI) -> None:
    sections = [one for one in ALONE[number::4] if is_for(one, mpi)]
    for section, printed in reports(sections, mpi, ""):
        assert same(printed) == same(mpi.cited(section.report)), section.name


@on_mpi("mpich4", "openmpi4")
@each_of_several
def test_several_are_reported(section: Section, mpi: MPI) -> None:
    if not is_for(section, mpi):
        pytest.skip(f"{mpi.id} has no partitioned communication")
    printed = report(section, mpi, section.program, "")
    assert same(printed) == same(mpi.cited(section.report))


@on_mpi("mpich4")
@each_quarter
def test_silent_when_corrected(number: int, mpi: MPI) -> None:
    for section, printed in reports(ALONE[number::4], mpi, "-corrected"):
        assert printed.startswith("no findings in 1 process"), f"{section.name}: {printed}"


@on_mpi("mpich4")
@each_of_several
def test_several_are_silent_when_corrected(section: Section, mpi: MPI) -> None:
    printed = report(section, mpi, section.corrected, "-corrected")
    assert printed.startswith(f"no findings in {section.processes} process"), printed


def test_every_check_is_described() -> None:
    text = CHECKS.read_text().partition(INDEX)[0]
    words = {rule.check for rule in RULES.values()}
    assert [word for word in sorted(words) if f"`{word}`" not in text] == []


def test_tables_are_those_of_the_code() -> None:
    text = CHECKS.read_text()
    assert with_tables(text) == text


@pytest.mark.skipif("MPIPP_UPDATE_DOCS" not in os.environ, reason="only on demand")
def test_update() -> None:
    mpi = find_mpi("mpich4")
    text = CHECKS.read_text()
    for section in SECTIONS:
        printed = latest(report(section, mpi, section.program, ""), mpi)
        if same(printed) == same(section.report):
            continue
        head = f"{PROMPT}{section.command}\n"
        start = text.index(head, text.index(f"<!-- check: {section.name}")) + len(head)
        text = text[:start] + printed + text[text.index("```", start) :]
    CHECKS.write_text(with_tables(text))


def latest(printed: str, mpi: MPI) -> str:
    """A report, as it is with a library of MPI-4.1."""
    for rule in RULES.values():
        there, here = cited(rule.section, mpi.standard), cited(rule.section, None)
        printed = printed.replace(f"{there}: ", f"{here}: ")
    return printed
