# SPDX-License-Identifier: MIT
"""`mpipp check` has a finding for each wrong call of a program, and for no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import support

HERE = Path(__file__).parent
PROGRAM = support.program_source("analysis", "mistakes.c")
MISFITS = support.program_source("analysis", "misfits.c")
LIMITS = support.program_source("analysis", "limits.c")
MARKED = support.program_source("analysis", "unrecorded_mistakes.c")

# Findings that are true only because a call is held and not made: one process sends to itself.
NOT_MADE = (
    "deadlock: rank 0 waits for itself",
    "deadlock: rank 0 waits for itself in a call that MPI allows to block",
    "lost-message: a message is sent and never received",
)
# A line for each held call: the expected finding, and the actual one.
SCRIPT = """\
import gdb, json
file = open("{said}", "w")
held = gdb.Breakpoint("taken_stop", internal=True)
gdb.execute("run > /dev/null 2>&1", to_string=True)
while gdb.selected_inferior().pid:
    wanted = gdb.selected_frame().read_var("what").string()
    said = json.loads(gdb.execute("mpipp check --json", to_string=True))
    found = [one["check"] + ": " + one["what"] for one in said["findings"]] + said["not_checked"]
    file.write(json.dumps([wanted, found]) + "\\n")
    gdb.execute("continue", to_string=True)
file.close()
"""


def hook(mpi: support.MPI) -> Path:
    """taken.c as a library to preload."""
    flags = ["-g", "-O0", "-shared", "-fPIC", f"-I{support.ROOT / 'wrapper'}"]
    return support.compile_program(HERE / "taken.c", mpi, flags)


@pytest.mark.each_case
@support.each_handle
@pytest.mark.parametrize(
    ("program", "least"),
    [(PROGRAM, 100), (MISFITS, 20), (LIMITS, 1), (MARKED, 20)],
    ids=["mistakes", "misfits", "limits", "marked"],
)
def test_mistakes(mpi: support.MPI, program: Path, least: int, tmp_path: Path) -> None:
    # The least number of calls: some do not exist in every MPI.
    script, said = tmp_path / "held.py", tmp_path / "said"
    script.write_text(SCRIPT.format(said=said))
    printed = support.gdb_batch(
        [f"source {script}"],
        program=support.compile_program(program, mpi, ["-g", "-O0", "-w", "-ldl"]),
        mpi=mpi,
        stop=[
            "set breakpoint pending on",
            f"set exec-wrapper env LD_PRELOAD={mpi.wrapper}:{hook(mpi)}",
        ],
    )
    held = [json.loads(line) for line in said.read_text().splitlines()]
    assert len(held) > least, printed
    told = [(wanted, [one for one in found if one not in NOT_MADE]) for wanted, found in held]
    wrong = [(wanted, found) for wanted, found in told if found != ([wanted] if wanted else [])]
    assert wrong == []
