# SPDX-License-Identifier: MIT
"""docs/tutorials/debug-all-ranks.md: its sessions, typed as written.

With MPIPP_UPDATE_DOCS=1 the outputs in the page are replaced by gdb's.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tests.debug.terminal import Debugger, debugging
from tests.support import MPI, ROOT, clean_environment, end, on_mpi, symbols, wait_until

PAGE = ROOT / "docs/tutorials/debug-all-ranks.md"
_SESSION = re.compile("<!-- session: (.*) -->")
_PROMPT = re.compile(r"\(gdb ([\w,-]+)\) (.*)")


def _is_late(line: str) -> bool:
    # These lines appear only on a busy machine, where gdb waits longer.
    return line == "control-C stops the ranks in the focus" or "not stopped:" in line


def compiled(name: str, mpi: MPI, directory: Path) -> Path:
    """An example, compiled as the page shows it."""
    (directory / "examples").mkdir(exist_ok=True)
    (path,) = (ROOT / "examples").glob(f"{name}.*")
    shutil.copy(path, directory / "examples")
    compiler = mpi.mpifort if path.suffix == ".f90" else mpi.mpicc
    words = [str(compiler), "-g", "-O0", f"examples/{path.name}", "-o", name, "-lm"]
    subprocess.run(words, cwd=directory, env=dict(mpi.env), check=True)
    return directory / name


@contextmanager
def hanging(script: Path, mpi: MPI, number: int) -> Iterator[int]:
    """A job in Python; yields its launcher when all ranks have reached the calls in which they
    hang."""
    recorded = ["env", f"LD_PRELOAD={mpi.preload()}", mpi.python, str(script)]
    words = [*mpi.mpiexec, "-n", str(number), *recorded]
    with subprocess.Popen(words, env=dict(mpi.env), text=True) as launcher:
        try:
            read = partial(stacks, launcher.pid)

            def are_there() -> bool:
                found = read()
                return "MPI_Barrier" in found and "3  1-3" in found

            wait_until(are_there, read)
            yield launcher.pid
        finally:
            end(launcher)


def stacks(job: int) -> str:
    """The output of `mpipp stacks`."""
    done = subprocess.run(
        [sys.executable, "-m", "mpipp.cli", "stacks", str(job)],
        env=clean_environment(PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@contextmanager
def started(words: list[str], mpi: MPI, directory: Path) -> Iterator[Debugger]:
    """The debugger of a session: "debug 4 heat", or "attach 4 relax"."""
    how, number, name = words
    if how == "debug":
        with debugging(compiled(name, mpi, directory), mpi, int(number)) as gdb:
            gdb.start = gdb.start[-2:]
            yield gdb
        return
    quietly = shlex.join(["-nx", *(word for one in symbols() for word in ("-iex", one))])
    with hanging(ROOT / "examples" / f"{name}.py", mpi, int(number)) as job:
        gdb = Debugger([f"--gdb-options={quietly}", "--attach", str(job)], mpi, {})
        try:
            gdb.start = [line for line in gdb.start if line.startswith("rank")]
            yield gdb
        finally:
            gdb.child.close(force=True)


def same(line: str) -> str:
    """A line without its addresses."""
    return re.sub(r"0x[0-9a-f]{5,}", "0x...", line)


@on_mpi("mpich4")
def test_the_sessions_are_as_the_tutorial_shows_them(mpi: MPI, tmp_path: Path) -> None:
    lines = PAGE.read_text().splitlines()
    shown: list[str] = []
    inside = False
    with ExitStack() as sessions:
        gdb: Debugger | None = None
        answer: list[str] = []
        for line in lines:
            if session := _SESSION.fullmatch(line):
                if gdb is not None:
                    gdb.leave()
                gdb = sessions.enter_context(started(session[1].split(), mpi, tmp_path))
                answer = gdb.start
            typed = _PROMPT.fullmatch(line) if inside else None
            ends = inside and line == "```"
            if inside and (typed or ends):
                shown += [same(each) for each in answer]
                answer = []
            if typed:
                assert gdb is not None and gdb.focus == typed[1], line
                answer = [each for each in gdb.ask(typed[2]) if not _is_late(each)]
            if line.startswith("```"):
                inside = line == "```gdb"
            if typed or not inside or line == "```gdb":
                shown.append(line)
        if gdb is not None:
            gdb.leave()
    if os.environ.get("MPIPP_UPDATE_DOCS"):
        PAGE.write_text("\n".join(shown) + "\n")
    assert shown == lines
