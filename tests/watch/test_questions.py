# SPDX-License-Identifier: MIT
"""Each call of a watched program is looked at, also one that has returned long before its end."""

from __future__ import annotations

import json
from pathlib import Path

import runs
import support
import test_mistakes
from support import MPI


@support.every_mpi
def test_mistakes_are_found_while_it_runs(mpi: MPI, tmp_path: Path) -> None:
    """All that `mpipp check` finds in gdb where the program is stopped in each of the calls."""
    program = support.compile_program(test_mistakes.PROGRAM, mpi, ["-g", "-O0", "-w", "-ldl"])
    said, report = tmp_path / "said", tmp_path / "report"
    preload = f"LD_PRELOAD={test_mistakes.hook(mpi)}:{mpi.wrapper}"
    words: list[str | Path] = ["env", preload, f"TAKEN_SAID={said}", program]
    found = runs.run(mpi, words, "--mpicc", mpi.mpicc, "--report", str(report), n=1)
    assert found.status == 0
    wanted = {line for line in said.read_text().splitlines() if line}
    content = json.loads((report / "findings.json").read_text())
    told = {f"{one['check']}: {one['what']}" for one in content["findings"]}
    assert (wanted - told, told - wanted, content["not_checked"]) == (set(), set(), [])
