# SPDX-License-Identifier: MIT
"""docs/reference/checks: each program gives the report in the page, and its correction gives none.

With MPIPP_UPDATE_DOCS=1 reports that differ are replaced by the output of gdb, and the tables are
written (tools/checks_doc).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from mpipp.analysis.rules import RULES, cited
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
from tools.checks_doc import __main__ as generator

CHECKS = ROOT / "docs" / "reference" / "checks"
PROMPT = "(gdb) "
MARKER = "---8<---"

_SECTION = re.compile(
    r"<!-- check: (?P<name>[\w-]+)(, (?P<processes>\d) processes)? -->\n"
    r"```c\n(?P<program>.*?)```\n.*?"
    r"```gdb\n(?P<session>.*?)```\n.*?"
    r"```diff\n(?P<correction>.*?)```\n",
    re.DOTALL,
)


class Section(NamedTuple):
    """A check: an erroneous program, the session that finds the error, and the correction."""

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
    """The program with lines after `-` replaced by those after `+`, hunk by hunk."""
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
    """A report without the parts that vary between runs: addresses, serial numbers and threads.

    They become numbers in order of appearance. Sizes that contain MPI_BSEND_OVERHEAD are removed.
    """
    seen: dict[str, str] = {}
    return re.sub(
        r"0x[0-9a-f]+|#\d+|(?<=in thread )\d+|(?<=sends need )\d+|(?<=attached buffer has )\d+"
        r"|(?<=attached buffer, )\d+",
        lambda found: seen.setdefault(found[0], f"<{len(seen)}>"),
        text,
    )


def report(section: Section, mpi: MPI) -> str:
    """The output of gdb for an erroneous program."""
    of = reports_of_one if section.processes == 1 else reports_of_several
    ((_, printed),) = of([section], mpi, "")
    return printed


@contextmanager
def waiting(program: Path, processes: int, mpi: MPI) -> Iterator[list[int]]:
    """The processes that have printed "rank R is process P" and wait for a debugger, by rank."""
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


PAGES = sorted(CHECKS.glob("*.md"))
SECTIONS = [section for page in PAGES for section in read_sections(page.read_text())]
# Programs of one process, a quarter of them in one gdb.
ALONE = [section for section in SECTIONS if section.processes == 1]
SEVERAL = [section for section in SECTIONS if section.processes > 1]
each_quarter = pytest.mark.parametrize("number", range(4))
each_half = pytest.mark.parametrize("number", range(2))


def is_for(section: Section, mpi: MPI) -> bool:
    """Return whether the library has the procedures that the program calls."""
    return mpi.has_sessions or "MPI_Psend_init" not in section.program


def reports_of_one(
    sections: Sequence[Section], mpi: MPI, kind: str
) -> Iterator[tuple[Section, str]]:
    """Yield reports on programs of one process; `kind` is "" or "-corrected"."""
    looked_at = []
    for one in sections:
        looked_at.append((program_of(one, mpi, kind), one.stop, [one.command]))
    return zip(sections, gdb_batches(looked_at, mpi, points=True, variables=True))


def reports_of_several(
    sections: Sequence[Section], mpi: MPI, kind: str
) -> Iterator[tuple[Section, str]]:
    """Yield reports on programs of several processes, one after the other in one gdb."""
    most = max(one.processes for one in sections)
    words = [word for n in range(2, most + 1) for word in ("add-inferior", f"inferior {n}")]
    with ExitStack() as jobs:
        for one in sections:
            job = waiting(program_of(one, mpi, kind), one.processes, mpi)
            numbered = list(enumerate(jobs.enter_context(job), 1))
            for number, pid in numbered:
                words += [f"inferior {number}", f"attach {pid}"]
            words += [f"echo {MARKER}\\n", one.command, f"echo {MARKER}\\n"]
            for number, _ in numbered:
                words += [f"inferior {number}", "detach", "file", "symbol-file"]
        output = gdb_batch(words, mpi=mpi, points=True, variables=True)
    printed = output.split(f"{MARKER}\n")[1::2]
    assert len(printed) == len(sections), output
    return zip(sections, printed)


def program_of(section: Section, mpi: MPI, kind: str) -> Path:
    text = section.corrected if kind else section.program
    return compiled(f"{section.name}{kind}", text, mpi)


@on_mpi("mpich4", "openmpi4")
@pytest.mark.each_case
@each_quarter
def test_reported(number: int, mpi: MPI) -> None:
    sections = [one for one in ALONE[number::4] if is_for(one, mpi)]
    for section, printed in reports_of_one(sections, mpi, ""):
        assert same(printed) == same(mpi.cited(section.report)), section.name


@on_mpi("mpich4", "openmpi4")
@each_half
def test_several_are_reported(number: int, mpi: MPI) -> None:
    sections = [one for one in SEVERAL[number::2] if is_for(one, mpi)]
    for section, printed in reports_of_several(sections, mpi, ""):
        assert same(printed) == same(mpi.cited(section.report)), section.name


@on_mpi("mpich4")
@each_quarter
def test_silent_when_corrected(number: int, mpi: MPI) -> None:
    for section, printed in reports_of_one(ALONE[number::4], mpi, "-corrected"):
        assert printed.startswith("no findings in 1 process"), f"{section.name}: {printed}"


@on_mpi("mpich4")
@each_half
def test_several_are_silent_when_corrected(number: int, mpi: MPI) -> None:
    for section, printed in reports_of_several(SEVERAL[number::2], mpi, "-corrected"):
        silent = f"no findings in {section.processes} process"
        assert printed.startswith(silent), f"{section.name}: {printed}"


def test_every_check_is_described() -> None:
    text = (CHECKS / "index.md").read_text()
    words = {rule.check for rule in RULES.values()}
    assert [word for word in sorted(words) if f"`{word}`" not in text] == []


def test_tables_are_those_of_the_code() -> None:
    written = generator.outputs()
    assert written == {page: page.read_text() for page in written}, "run make docs"


@pytest.mark.skipif("MPIPP_UPDATE_DOCS" not in os.environ, reason="only on demand")
def test_update() -> None:
    mpi = find_mpi("mpich4")
    for page in PAGES:
        text = page.read_text()
        for section in read_sections(text):
            printed = latest(report(section, mpi), mpi)
            if same(printed) == same(section.report):
                continue
            head = f"{PROMPT}{section.command}\n"
            start = text.index(head, text.index(f"<!-- check: {section.name}")) + len(head)
            text = text[:start] + printed + text[text.index("```", start) :]
        page.write_text(text)
    for page, text in generator.outputs().items():
        page.write_text(text)


def latest(printed: str, mpi: MPI) -> str:
    """The report as it is with a library of MPI-4.1."""
    for rule in RULES.values():
        there, here = cited(rule.section, mpi.standard), cited(rule.section, None)
        printed = printed.replace(f"{there}: ", f"{here}: ")
    return printed
