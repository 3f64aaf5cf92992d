# SPDX-License-Identifier: MIT
"""Findings that a suppressions file hides, and a hang in a report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests import support
from tests.reports import reports
from tests.support import MPI, on_mpi

KNOWN = """\
[the library keeps its rows]
check = *-leak
library = libgrid*
[to be mended: issue 7]
file = wrong.c
function = main
[never]
check = deadlock
"""


@on_mpi("mpich4", "openmpi4")
def test_what_is_known_is_not_told(mpi: MPI, tmp_path: Path) -> None:
    (tmp_path / "known").write_text(KNOWN)
    run = reports.watched(mpi, tmp_path, "--suppress", "known", "--error-exit", "5")
    said = run.done.stderr.splitlines()
    told = [line for line in said if line.startswith(("error", "mpipp: "))]
    suppressed = "2 suppressed: the library keeps its rows (1), to be mended: issue 7 (1)"
    assert told == [
        "error: the types sent and received do not match, after 2 elements: "
        "MPI_INT is sent, MPI_DOUBLE received",
        f"mpipp: {suppressed}",
        "mpipp: 1 error in 2 processes (48 MPI calls checked)",
    ]
    assert run.done.returncode == 5
    content = json.loads((run.report / "findings.json").read_text())
    assert (content["errors"], content["warnings"]) == (1, 0)
    assert content["suppressed"] == [
        {"reason": "the library keeps its rows", "count": 1},
        {"reason": "to be mended: issue 7", "count": 1},
    ]
    assert reports.asked(run).splitlines()[-2:] == [
        suppressed,
        "1 error in 2 processes (48 MPI calls checked)",
    ]
    assert "<li>to be mended: issue 7 (1)</li>" in reports.asked(run, "--format", "html")


@on_mpi("mpich4")
def test_a_file_that_makes_no_sense(mpi: MPI, tmp_path: Path) -> None:
    (tmp_path / "known").write_text("[all]\n")
    program = support.compile_program(support.ROOT / "examples" / "halo.c", mpi)
    for words in (["run"], ["exec"]):
        done = support.shell(*words, "--check", "--suppress", "known", "--", program, cwd=tmp_path)
        said = (
            "known: [all]: write which findings to suppress, with check, function, file, library\n"
        )
        assert done.stderr == f"mpipp: {tmp_path}/{said}"
        assert (done.returncode, done.stdout) == (2, "")


@on_mpi("mpich4")
def test_a_hang(mpi: MPI, tmp_path: Path) -> None:
    """The report has the wait-for graph, and the calls that have not returned."""
    program = support.compile_program(support.ROOT / "examples" / "halo.c", mpi)
    words = [sys.executable, "-m", "mpipp.cli", "run", "--check", "--hang-after", "0.5"]
    words += ["--report", "report", "--mpiexec", " ".join(mpi.mpiexec), "-n", "4", "--"]
    run = subprocess.Popen(
        [*words, str(program)],
        cwd=tmp_path,
        env={**mpi.env, "PYTHONPATH": str(support.ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stderr is not None
    try:
        for line in run.stderr:
            if line == "\n":  # ends the finding
                break
    finally:
        os.killpg(run.pid, signal.SIGINT)
        run.communicate(timeout=60)
    content = json.loads((tmp_path / "report" / "findings.json").read_text())
    (found,) = content["findings"]
    assert (found["check"], found["severity"]) == ("deadlock", "error")
    assert content["pictures"][found["picture"]].startswith("<svg ")
    assert [party["process"] for party in found["parties"]] == ["rank 2", "rank 3"]
    (row,) = found["timeline"]["rows"]
    *calls, last = [cell["call"] for cell in row["cells"]]
    # The number of MPI_Allreduce calls depends on the time of the report.
    assert ({*calls}, last) == ({"MPI_Allreduce"}, "")
    page = support.shell("report", tmp_path / "report", "--format", "html").stdout
    assert "near miss, another tag: rank 2 sent it 1 message with tag 1" in page
    assert 'aria-label="Wait-for graph"' in page
