# SPDX-License-Identifier: MIT
"""Pages about watched runs show exactly what a user sees: their commands, typed as written.

With MPIPP_UPDATE_DOCS=1 the test replaces the outputs in the page by the actual ones. Launchers'
messages about dead processes are left out.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import MPI, ROOT, find_mpi, need, repeated
from tests.watcher import runs

PAGES = [
    ROOT / name
    for name in (
        "docs/tutorials/first-run.md",
        "docs/tutorials/hang.md",
        "docs/tutorials/buffers.md",
        "docs/tutorials/rma.md",
        "docs/tutorials/reports.md",
        "docs/reference/report-directory.md",
        "docs/symptoms/wrong-numbers.md",
        "docs/symptoms/crash.md",
        "docs/symptoms/hang.md",
        "docs/symptoms/error-code.md",
        "docs/symptoms/works-here-fails-there.md",
        "docs/symptoms/memory-grows.md",
        "docs/troubleshooting.md",
    )
]
# Other tests run these programs, too.
LONG = [ROOT / "docs/reference/rma-cases.md", ROOT / "docs/howto/perturb.md"]
BLOCK = re.compile(r"```console\n(.*?)```\n", re.DOTALL)
# The pattern for pages that mark their typed blocks.
MARKED = re.compile(rf"(?<=<!-- typed -->\n){BLOCK.pattern}", re.DOTALL)
FILE = re.compile(r"<!-- test: (\S+) -->\n```\w+\n(.*?)```\n", re.DOTALL)
STOPPED = "^C"
UNLIMITED = {"MPIPP_BUDGET": "1000000"}  # percent, so that guard coverage does not depend on time
# Lines of MPICH's launcher and of its libraries, and lines of valgrind about itself and about
# buffers that mpipp has announced.
FOREIGN = re.compile(
    r"^(=(?!=\d)|\[WARNING\] yaksa|YOUR APPLICATION|This typically|Please see|\[\w+:\d+ *:|$"
    r"| *\d+  \S+\(\S+\) \[0x"  # UCX's backtrace
    r"|hwloc x86|May be reenabled|and reloading them"  # codespell:ignore
    r"|==\d+== (WARNING|$|   (at|by) \S+ (?!main )))"
)

OF_PROGRAM = re.compile(r"no factor: |rank \d(:| sends| has read) |block \d|\d+$")


def alike(lines: list[str]) -> list[str]:
    """Lines without the parts that vary: times, addresses, serial numbers of datatypes, and the
    progress of other processes before a death."""
    lines = [re.sub("0x[0-9a-fA-F]+", "0x...", line) for line in lines]
    lines = [re.sub(r"^==\d+==", "==PID==", line) for line in lines]
    # The library for which the wrapper was built decides how many datatypes are predefined.
    lines = [re.sub(r"(?<=MPI_Datatype )#\d+", "#N", line) for line in lines]
    lines = [re.sub(r"(?<=has died, )by SIG\w+", lambda s: runs.how(s[0]), line) for line in lines]
    kept = [line for line in lines if not line.startswith("    meanwhile ")]
    # The program's output and the report use different streams, with four processes at once.
    kept.sort(key=lambda line: OF_PROGRAM.match(line) is not None)
    counts = r"^(mpipp: (?:\d+ errors?|no errors) in) \d processes \(\d+ MPI calls checked\)"
    kept = [re.sub(counts, r"\1 N processes (N MPI calls checked)", line) for line in kept]
    return [re.sub(r"started \S+, took \S+ s", "started TIME, took N s", line) for line in kept]


def typed(command: str, directory: Path, env: dict[str, str], stops: bool) -> list[str]:
    """The output of a command. With `stops` it is interrupted after it has reported a deadlock."""
    run = subprocess.Popen(
        ["sh", "-c", command],
        cwd=directory,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert run.stdout is not None
    lines = []
    for line in run.stdout:
        lines.append(line.rstrip("\n"))
        if stops and line == "\n" and any(re.match(r"(\S+: )?error: ", one) for one in lines):
            os.killpg(run.pid, signal.SIGINT)
            break
    run.communicate(timeout=200)
    return [*lines, STOPPED] if stops else lines


def written(text: str, directory: Path, env: dict[str, str]) -> str:
    """The page with the actual output of its commands."""

    def answered(found: re.Match[str]) -> str:
        block = found.group(1)
        lines: list[str] = []
        for piece in re.split(r"(?m)^(?=\$ )", block)[1:]:
            command = piece.split("\n")[0]
            lines.append(command)
            said = typed(command[2:], directory, env, STOPPED in piece)
            if piece.count("\n") > 1:
                kept = [line for line in said if not FOREIGN.match(line)]
                lines += spaced(kept)
        return "```console\n" + "\n".join(lines) + "\n```\n"

    return blocks(text).sub(answered, text)


def blocks(text: str) -> re.Pattern[str]:
    """The pattern for the typed blocks of a page."""
    return MARKED if MARKED.search(text) else BLOCK


def spaced(lines: list[str]) -> list[str]:
    """The lines with blank lines after findings."""
    result: list[str] = []
    for line in lines:
        if not line.startswith(" ") and result and result[-1].startswith("  "):
            result.append("")
        result.append(line)
    return result


def environment(mpi: MPI, directory: Path) -> dict[str, str]:
    """An environment in which `mpicc` is this MPI's, and `mpipp` uses this checkout."""
    tools = directory / "bin"
    tools.mkdir()
    (tools / "mpicc").symlink_to(mpi.mpicc)
    (tools / "mpipp").write_text(f'#!/bin/sh\nexec {sys.executable} -m mpipp.cli "$@"\n')
    (tools / "mpipp").chmod(0o755)
    (tools / "xdg-open").symlink_to("/bin/true")
    path = f"{tools}:{mpi.env['PATH']}"
    return {**mpi.env, "PATH": path, "PYTHONPATH": str(ROOT)}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", [*PAGES, *repeated(*LONG)], ids=lambda page: page.stem)
def test_every_output_is_what_is_printed(page: Path, tmp_path: Path) -> None:
    mpi = find_mpi("mpich4")
    assert mpi.wrapper  # build the wrapper now: later, the run would print the build
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    text = page.read_text()
    if any("--valgrind" in block for block in blocks(text).findall(text)):
        need("valgrind")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content)
    env = environment(mpi, tmp_path)
    found = written(text, tmp_path, {**env, **UNLIMITED} if page.stem == "buffers" else env)
    if os.environ.get("MPIPP_UPDATE_DOCS"):
        page.write_text(found)
    else:
        for block, expected in zip(blocks(found).findall(found), blocks(text).findall(text)):
            assert alike(block.splitlines()) == alike(expected.splitlines())


def test_what_is_shown_of_the_cases_is_theirs() -> None:
    functions = re.findall(
        r"```c\n(.*?)```\n", (ROOT / "docs/reference/rma-cases.md").read_text(), re.DOTALL
    )
    program = (ROOT / "examples/cases.c").read_text()
    assert len(functions) == program.count("(double *mine) {")
    assert [one for one in functions if one not in program] == []
