# SPDX-License-Identifier: MIT
"""docs/howto/compare.md: its sessions equal gdb's output for its program.

With MPIPP_UPDATE_DOCS=1 the answers in the file are replaced by gdb's output.
"""

from __future__ import annotations

import os
import re

import pytest

from tests.support import MPI, ROOT, compile_program, find_mpi, gdb_batch, on_mpi

PAGE = ROOT / "docs/howto/compare.md"
PROMPT = "(gdb) "
_PROGRAM = re.compile(r"<!-- program -->\n```c\n(.*?)```\n", re.DOTALL)
_SESSION = re.compile(r"(?<=<!-- session -->\n```gdb\n)(.*?)(?=```\n)", re.DOTALL)
_SILENT = ("mpipp break", "run", "continue")  # commands without an answer in the page


def held(session: str, mpi: MPI) -> str:
    """The session with gdb's answers."""
    found = _PROGRAM.search(PAGE.read_text())
    assert found is not None
    program = compile_program(found[1], mpi)
    typed = re.findall(r"^\(gdb\) (.*)$", session, re.MULTILINE)
    commands = ["echo @"]
    for command in typed:
        commands += [command, "echo @"]
    answers = gdb_batch(commands, program=program, mpi=mpi).split("@")[1:]
    text = ""
    for command, answer in zip(typed, answers):
        text += f"{PROMPT}{command}\n" + ("" if command.startswith(_SILENT) else answer)
    return text


@on_mpi("mpich4", "openmpi4")
def test_sessions(mpi: MPI) -> None:
    for session in _SESSION.findall(PAGE.read_text()):
        assert held(session, mpi) == session


@pytest.mark.skipif("MPIPP_UPDATE_DOCS" not in os.environ, reason="only on demand")
def test_update() -> None:
    mpi = find_mpi("mpich4")
    PAGE.write_text(_SESSION.sub(lambda found: held(found[1], mpi), PAGE.read_text()))
