# SPDX-License-Identifier: MIT
"""The report of a perturbed run lists the perturbations of each call."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from tests.support import MPI, compile_program, on_mpi, shell

PROGRAMS = Path(__file__).resolve().parent / "programs"
MESSAGES = """\
Perturbed calls (to repeat: --provoke=1):
  MPI_Isend at latent.c:N in changed_too_early, 1 call of rank 1
    deferred to MPI_Wait at latent.c:N in changed_too_early
    synchronous
  MPI_Send_init at latent.c:N in started_too_early, 1 call of rank 1
    synchronous
  MPI_Start at latent.c:N in started_too_early, 1 call of rank 1
    deferred to MPI_Wait at latent.c:N in started_too_early
  MPI_Irecv at latent.c:N in in_order, 6 calls of rank 0
    all with a fill pattern in the buffer until complete
  MPI_Isend at latent.c:N in in_order, 6 calls of rank 1
    all deferred to MPI_Waitall at latent.c:N in in_order
    all synchronous
  MPI_Send at latent.c:N in in_order, 1 call of rank 1
    synchronous
  MPI_Waitany at latent.c:N in in_order, 6 calls of rank 0
    all with the requests in another order
"""
ONESIDED = """\
Perturbed calls (to repeat: \
--provoke=rma,1,defer=yes,flush=no,latency=1,local=yes,order=reverse,split=yes):
  MPI_Put at onesided.c:N in local_flush, 2 calls of ranks 0 and 1
    all deferred to MPI_Win_unlock at onesided.c:N in local_flush
    all data copied at MPI_Win_flush_local at onesided.c:N in local_flush
    all cut into 58 parts
    all delayed by 1 ms
  MPI_Get at onesided.c:N in local_flush, 2 calls of ranks 0 and 1
    all deferred to MPI_Win_flush_local at onesided.c:N in local_flush
    all cut into 58 parts
    all delayed by 1 ms
  MPI_Put at onesided.c:N in put_then_accumulate, 2 calls of ranks 0 and 1
    all deferred to MPI_Win_unlock at onesided.c:N in put_then_accumulate
    all cut into 58 parts
    all delayed by 1 ms
  MPI_Accumulate at onesided.c:N in put_then_accumulate, 2 calls of ranks 0 and 1
    all deferred to MPI_Win_unlock at onesided.c:N in put_then_accumulate
    all cut into 100 parts
    all before MPI_Put at onesided.c:N in put_then_accumulate, which was called first
    all delayed by 1 ms
"""


DRAWN = """\
Perturbed calls (to repeat: --provoke=rma,6,defer=yes,flush=no,split=no):
  MPI_Put at onesided.c:N in local_flush, 32 calls of ranks 0 and 1
     1 deferred to MPI_Win_flush_local at onesided.c:N in local_flush
     3 deferred to MPI_Win_flush_local at onesided.c:N in local_flush
    28 deferred to MPI_Win_unlock at onesided.c:N in local_flush
    31 data copied at MPI_Win_flush_local at onesided.c:N in local_flush
     2 delayed by 3 to 5 ms
  MPI_Get at onesided.c:N in local_flush, 32 calls of ranks 0 and 1
    all deferred to MPI_Win_flush_local at onesided.c:N in local_flush
      2 before MPI_Put at onesided.c:N in local_flush, which was called first
      1 delayed by 2 ms
  MPI_Put at onesided.c:N in put_then_accumulate, 32 calls of ranks 0 and 1
    all deferred to MPI_Win_unlock at onesided.c:N in put_then_accumulate
      4 delayed by 3 to 5 ms
  MPI_Accumulate at onesided.c:N in put_then_accumulate, 32 calls of ranks 0 and 1
    all deferred to MPI_Win_unlock at onesided.c:N in put_then_accumulate
     22 before MPI_Put at onesided.c:N in put_then_accumulate, which was called first
      4 delayed by 3 to 4 ms
"""


def listed(mpi: MPI, program: str, words: list[str], provoke: str, report: Path) -> str:
    """The perturbations in `mpipp report`, with any line numbers."""
    built = compile_program(PROGRAMS / program, mpi, ("-g", "-O0"))
    assert mpi.wrapper  # build the wrapper now: later, the run would print the build
    env = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env}
    run = ["run", "--mpiexec", shlex.join(mpi.mpiexec), "-n", "2", f"--provoke={provoke}"]
    done = shell(*run, "--report", report, "--", built, *words, env=env)
    assert done.returncode == 0, done.stderr
    text = shell("report", report).stdout
    found = text[text.index("Perturbed calls (") : text.rindex("\n\n") + 1]
    return re.sub(r"(?<=\.c:)\d+", "N", found)


@on_mpi("mpich4", "openmpi4")
def test_what_was_done_to_which_calls(mpi: MPI, tmp_path: Path) -> None:
    words = ["changed", "persistent", "order"]
    messages = listed(mpi, "latent.c", words, "1", tmp_path / "messages")
    if mpi.id == "mpich4":
        assert messages == MESSAGES
    rules = "defer=yes,local=yes,flush=no,order=reverse,split=yes,latency=1"
    rows = tmp_path / "rows"
    found = listed(mpi, "onesided.c", ["local", "order"], f"rma,1,{rules}", rows)
    assert found == ONESIDED
    (cut,) = (
        row
        for row in json.loads((rows / "findings.json").read_text())["provoked"]
        if (row["procedure"], row["way"]) == ("MPI_Accumulate", "cut")
    )
    place = cut.pop("place")
    assert re.fullmatch(r"onesided\.c:\d+ in put_then_accumulate", place)
    assert cut == {
        "procedure": "MPI_Accumulate",
        "way": "cut",
        "by": "",
        "by_place": "",
        "ranks": [0, 1],
        "times": 2,
        "least": 100,
        "most": 100,
    }
    page = shell("report", rows, "--format", "html").stdout
    assert "<li>all cut into 100 parts</li>" in page


@on_mpi("mpich4")
def test_a_seed_draws_over_all_rules(mpi: MPI, tmp_path: Path) -> None:
    """Local completion of all operations, the program's order, and latency occur, too."""
    words = ["local", "order"] * 16
    rules = "rma,6,defer=yes,flush=no,split=no"
    assert listed(mpi, "onesided.c", words, rules, tmp_path) == DRAWN
