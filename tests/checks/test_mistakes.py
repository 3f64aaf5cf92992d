# SPDX-License-Identifier: MIT
"""programs/mistakes.c: what `mpipp check` says of each wrong call, and nothing of the others."""

from __future__ import annotations

import json
from pathlib import Path

import support

HERE = Path(__file__).parent
PROGRAM = HERE / "programs" / "mistakes.c"
MOST = 100  # calls, of which some are not made on every MPI

# A line for each call that is held: what is to be found there, and what is.
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


@support.each_handle
def test_mistakes(mpi: support.MPI, tmp_path: Path) -> None:
    script, said = tmp_path / "held.py", tmp_path / "said"
    script.write_text(SCRIPT.format(said=said))
    printed = support.gdb_batch(
        [f"source {script}"],
        program=support.compile_program(PROGRAM, mpi, ["-g", "-O0", "-w", "-ldl"]),
        mpi=mpi,
        stop=[
            "set breakpoint pending on",
            f"set exec-wrapper env LD_PRELOAD={hook(mpi)}:{mpi.wrapper}",
        ],
    )
    held = [json.loads(line) for line in said.read_text().splitlines()]
    assert len(held) > MOST, printed
    wrong = [(wanted, found) for wanted, found in held if found != ([wanted] if wanted else [])]
    assert wrong == []
