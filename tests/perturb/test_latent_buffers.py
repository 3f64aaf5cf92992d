# SPDX-License-Identifier: MIT
"""Perturbed runs: fill patterns in receive buffers, late partitions, delayed RMA operations."""

from __future__ import annotations

import argparse
import shlex
import subprocess
from pathlib import Path

import pytest

from mpipp.cli.commands.run import perturb
from tests.support import MPI, ROOT, compile_program, on_mpi, shell

PROGRAMS = Path(__file__).resolve().parent / "programs"


def run(mpi: MPI, program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    assert mpi.wrapper  # build the wrapper now: later, the run would print the build
    env = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env}
    words = ["run", "--mpiexec", shlex.join(mpi.mpiexec), "-n", "2", *options, "--"]
    return shell(*words, program, env=env)


def said(before: str, *more: str) -> str:
    cases = ("persistent", "counts", "types", "in place", *more)
    return "".join(f"{case}: {before} before, right then\n" for case in cases)


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_what_is_pending_holds_junk_and_partitions_are_late(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "more_latent.c", mpi)
    more = ("reduction", "replaced") if mpi.has_sessions else ()
    # The program has partitions only with MPICH: Open MPI 5.0 sometimes hangs in them.
    parts = ("changed partitions",) if mpi.id.startswith("mpich") else ()
    rest = "partitions: fine before, right then\n" if parts else ""
    usual = run(mpi, program)
    assert (usual.returncode, usual.stdout.startswith(said("fine"))) == (0, True)
    for seed in (1, 6):
        done = run(mpi, program, f"--provoke={seed}")
        assert (done.returncode, done.stdout) == (0, said("junk", *more, *parts) + rest)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_threads_that_use_one_window(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "threads_onesided.c", mpi, ("-g", "-O0", "-pthread"))
    for seed in (1, 2):
        done = run(mpi, program, f"--provoke=rma,{seed}")
        assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


@on_mpi("mpich4", "openmpi4")
def test_every_operation_window_and_synchronization(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "kinds.c", mpi)
    done = run(mpi, program, "--provoke=rma,1,defer=yes")
    everywhere = " Put Accumulate Get_accumulate Fetch_and_op Compare_and_swap"
    passive = f"{everywhere} Rput Raccumulate Rget_accumulate Get Rget"
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [
            f"{flavor} {way}:{f'{everywhere} Get' if way in ('fence', 'start') else passive}"
            for flavor in ("allocated", "created", "shared", "dynamic")
            for way in ("fence", "start", "lock", "lock_all", "flush", "flush_all")
        ],
    )


# Tables 1 and 2 of Kowalewski and Fuerlinger.
@pytest.mark.parametrize(
    ("variable", "rules"),
    [
        ("NASTY_SKIP_COMPLETION_STAGE", {"0": "defer=yes", "1": "defer=no"}),
        ("NASTY_LOCAL_COMPLETION_ENABLED", {"0": "local=no", "1": "local=yes"}),
        ("NASTY_SKIP_ATOMICITY_STAGE", {"0": "split=yes", "1": "split=no"}),
        (
            "NASTY_SUBMIT_ORDER",
            {
                "random": "order=random",
                "reverse_po": "order=reverse",
                "put_before_get": "order=put-first",
                "get_before_put": "order=get-first",
            },
        ),
        ("NASTY_ADD_FLUSH_ENABLED", {"0": "flush=no", "1": "flush=yes"}),
        (
            "NASTY_ADD_LATENCY",  # an unsigned integer of 32 bits
            {"0": "latency=0", "250": "latency=250", "4294967295": "latency=4294967295"},
        ),
    ],
)
def test_each_parameter_has_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, rules: dict[str, str]
) -> None:
    assert f"`{variable}`" in (ROOT / "docs/reference/perturbation.md").read_text()
    for value, rule in rules.items():
        monkeypatch.setenv(variable, value)
        meant = perturb.schedules(argparse.Namespace(provoke="rma,3"))
        assert meant and meant.word() == f"rma,3,{rule}"


STORES_EARLY = """\
#include <mpi.h>
#include <unistd.h>
enum { N = 8192 };
static double out[4][N], in[4][N];
int main(int argc, char **argv) {
  MPI_Request all[8];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 4; i++) {
    MPI_Isend(out[i], N, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD, &all[i]);
    out[i][N / 2] = 1;
  }
  for (int i = 0; i < 4; i++)
    MPI_Irecv(in[i], N, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD, &all[4 + i]);
  MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
  MPI_Finalize();
}
"""
NOT_MOVED = "    at the next MPI call of the process the data had not moved\n"


@on_mpi("mpich4", "openmpi4")
def test_what_is_stored_before_a_late_send_starts_is_an_error(mpi: MPI) -> None:
    """The stored value is sent, even if the data might have been moved before."""
    program = compile_program(STORES_EARLY, mpi, ("-g", "-O0"))
    done = run(mpi, program, "--provoke=1", "--check=buffers", "--budget", "100000")
    first, _, text = done.stderr.partition("\n")
    assert first == "mpipp: perturbed with seed 1"
    assert text.startswith("error: a store to the buffer of a pending MPI_Isend\n")
    assert text.count("error: ") == text.count(NOT_MOVED) == 1


POLLS = """\
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
enum { MESSAGES = 60 };
int main(int argc, char **argv) {
  int rank;
  char late[MESSAGES + 1] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < MESSAGES; i++) {
    int out = 0, in = 0, there = 0;
    MPI_Request receive, send;
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &receive);
    usleep(getpid() * (i + 1) % 7 * 100);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &send);
    out = 1; /* too early */
    while (!there) MPI_Test(&receive, &there, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    late[i] = in ? '1' : '0';
  }
  if (rank == 0) puts(late);
  MPI_Finalize();
}
"""


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_seed_chooses_the_same_however_often_a_program_polls(mpi: MPI) -> None:
    program = compile_program(POLLS, mpi, ("-g", "-O0"))
    once, again, other = (run(mpi, program, f"--provoke={seed}").stdout for seed in (1, 1, 2))
    assert once == again != other
    assert 40 < once.count("1") < 60
