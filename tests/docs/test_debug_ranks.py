# SPDX-License-Identifier: MIT
"""docs/tutorials/debug-all-ranks.md: its session, typed as written.

With MPIPP_UPDATE_DOCS=1 the outputs in the page are replaced by gdb's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.debug.terminal import debugging
from tests.support import MPI, ROOT, on_mpi

PAGE = ROOT / "docs/tutorials/debug-all-ranks.md"
_PROMPT = re.compile(r"\(gdb ([\w,-]+)\) (.*)")


def _is_late(line: str) -> bool:
    # These lines appear only on a busy machine, where gdb waits longer.
    return line == "control-C stops the ranks in the focus" or "not stopped:" in line


def compiled(mpi: MPI, directory: Path) -> Path:
    """The compiled example."""
    (directory / "examples").mkdir()
    shutil.copy(ROOT / "examples/heat.f90", directory / "examples")
    words = [str(mpi.mpifort), "-g", "-O0", "examples/heat.f90", "-o", "heat"]
    subprocess.run(words, cwd=directory, env=dict(mpi.env), check=True)
    return directory / "heat"


def same(line: str) -> str:
    """A line without its addresses."""
    return re.sub(r"0x[0-9a-f]{5,}", "0x...", line)


@on_mpi("mpich4")
def test_the_session_is_as_the_tutorial_shows_it(mpi: MPI, tmp_path: Path) -> None:
    lines = PAGE.read_text().splitlines()
    shown: list[str] = []
    inside = False
    with debugging(compiled(mpi, tmp_path), mpi, 4) as gdb:
        answer = gdb.start[-2:]
        for line in lines:
            typed = _PROMPT.fullmatch(line) if inside else None
            ends = inside and line == "```"
            if inside and (typed or ends):
                shown += [same(each) for each in answer]
                answer = []
            if typed:
                assert gdb.focus == typed[1], line
                answer = [each for each in gdb.ask(typed[2]) if not _is_late(each)]
            if line.startswith("```"):
                inside = line == "```gdb"
            if typed or not inside or line == "```gdb":
                shown.append(line)
        gdb.leave()
    if os.environ.get("MPIPP_UPDATE_DOCS"):
        PAGE.write_text("\n".join(shown) + "\n")
    assert shown == lines
