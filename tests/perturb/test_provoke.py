# SPDX-License-Identifier: MIT
"""Perturbed runs show errors that usually stay hidden, and do not change correct programs."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mpipp.cli.commands.run import sweep
from mpipp.cli.commands.run.sweep import OUTPUT, STREAMS, Outcome, difference
from tests.short import some
from tests.support import (
    MPI,
    ROOT,
    clean_environment,
    compile_program,
    lacking,
    on_mpi,
    running,
    shell,
    without_points,
)

PROGRAMS = Path(__file__).resolve().parent / "programs"
LATENT = ("changed", "read", "order", "persistent", "buffered", "broadcast", "gather")
DEADLOCK = """\
error: deadlock: rank 0 and rank 1 wait for each other
  rank 0 waits in MPI_Send(dest 1, tag 0), called at latent.c:LINE in head_to_head
    rank 1 has posted no such receive; it waits because the library did not buffer it
  rank 1 waits in MPI_Send(dest 0, tag 0), called at latent.c:LINE in head_to_head
    rank 0 has posted no such receive; it waits because the library did not buffer it
  a program must not rely on buffering, or on calls that return without synchronizing (MPI-4.1, \
sections 3.5 and 6.14)
"""


def environment(mpi: MPI) -> dict[str, str]:
    return {name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env}


def words(mpi: MPI, *options: str, n: int = 2) -> list[str]:
    return ["run", "--mpiexec", shlex.join(mpi.mpiexec), "-n", str(n), *options, "--"]


def run(
    mpi: MPI, command: list[str | Path], *options: str, n: int = 2
) -> subprocess.CompletedProcess[str]:
    assert mpi.wrapper  # build the wrapper now: later, the run would print the build
    return shell(*words(mpi, *options, n=n), *command, env=environment(mpi))


@on_mpi("mpich4", "openmpi4")
def test_latent_errors_show(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "latent.c", mpi)
    silent = run(mpi, [program, *LATENT, "head"])
    assert silent.stdout == "sum 16\nsum 16\nin order 012345\n" + 5 * "sum 16\n" + "sum 32\n"
    done = run(mpi, [program, *LATENT], "--provoke=1")
    collective = 32 if mpi.has_sessions else 16  # MPI-4 adds persistent collective operations
    expected = [32, 33955506144, None, 32, 32, collective, collective, collective]
    words = ["in order 352104" if one is None else f"sum {one}" for one in expected]
    assert (done.returncode, done.stdout.splitlines()) == (0, words)
    assert done.stderr == "mpipp: perturbed with seed 1\n"


@on_mpi("mpich4", "openmpi4")
def test_latent_errors_show_in_fortran(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "latent.f90", mpi)
    done = run(mpi, [program], "--provoke=1")
    assert (done.returncode, done.stdout) == (0, "sum 32\nsum 16\nsum 64\nsum 48\n")


@on_mpi("mpich5", "openmpi5")
def test_a_program_of_sessions(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "session.c", mpi)
    assert run(mpi, [program]).stdout == 2 * "sum 16, all 32\n"
    done = run(mpi, [program], "--provoke=1")
    assert (done.returncode, done.stdout) == (0, "sum 32, all 48\nsum 16, all 32\n")


@on_mpi("mpich4", "openmpi4")
def test_a_deadlock_that_buffering_hides_is_explained(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "latent.c", mpi)
    options = words(mpi, "--provoke=1", "--check", "--hang-after", "0.5")
    with running(
        [sys.executable, "-m", "mpipp.cli", *options, str(program), "head"],
        env={**clean_environment(PYTHONPATH=str(ROOT)), **environment(mpi)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as started:
        assert started.stderr is not None
        said = ""
        while "sections 3.5" not in said:
            line = started.stderr.readline()
            assert line, said
            said += line
        os.killpg(started.pid, signal.SIGINT)
        started.communicate(timeout=120)
    assert re.sub(r"\.c:\d+", ".c:LINE", said[said.index("error: ") :]) == mpi.cited(DEADLOCK)


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_correct_programs_stay_as_they_are_with_any_seed(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "correct.c", mpi)
    seeds = str(some(30)) if mpi.id in ("mpich4", "openmpi4") else "2"
    done = run(mpi, [program, "1", "10"], "--provoke-sweep", seeds, n=3)
    assert (done.returncode, done.stderr) == (0, "")
    agree, told = done.stdout.splitlines()
    assert agree == "mpipp: 2 unperturbed runs agree: exit status 0"
    assert told == f"mpipp: no difference with {seeds} seeds"


@on_mpi("mpich4", "openmpi4")
def test_threads_and_groups(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "settings.c", mpi, ("-g", "-O0", "-pthread"))
    for options in (["--provoke=3"], ["--provoke=4"], ["--provoke=5", "--check=buffers"]):
        done = run(mpi, [program], *options)
        assert (done.returncode, done.stdout) == (0, "fine\n"), options


@on_mpi("mpich4", "openmpi4")
def test_what_is_checked_is_what_the_program_called(mpi: MPI) -> None:
    """The program makes these errors on purpose."""
    program = compile_program(PROGRAMS / "correct.c", mpi)
    usual = run(mpi, [program, "2", "10"], "--check=all,buffers", "--strict", n=3)
    done = run(mpi, [program, "2", "10"], "--check=all,buffers", "--strict", "--provoke=5", n=3)
    assert (usual.returncode, done.returncode) == (0, 0)
    assert done.stdout == usual.stdout

    def told(text: str) -> list[str]:
        return re.findall(r"(?m)^(?:error|warning): .*", without_points(text))

    assert told(done.stderr) == told(usual.stderr)
    assert len(told(done.stderr)) == 4


@on_mpi("mpich4")
def test_a_sweep_lists_the_seeds_that_make_a_difference(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "latent.c", mpi)
    options = "--provoke-sweep", "2", "--provoke=4", "--hang-after", "10"
    done = run(mpi, [program, "changed", "head"], *options)
    assert (done.returncode, done.stderr) == (1, "")
    first, *listed, last = done.stdout.splitlines()
    assert first == "mpipp: 2 unperturbed runs agree: exit status 0"
    assert listed == [
        "seed 4: output of rank 0, line 1: 'sum 32', unperturbed 'sum 16'",
        "seed 5: hangs, unperturbed exit status 0",
    ]
    before, _, again = last.partition(": mpipp ")
    assert before == "mpipp: 2 of 2 seeds differ; repeat the worst with"
    assert shlex.split(again)[-3:] == [str(program), "changed", "head"]
    assert "--provoke=5" in again and "--provoke-sweep" not in again


@pytest.mark.thorough
@on_mpi("mpich4")
def test_runs_whose_output_differs_each_time_are_compared_by_how_they_end(
    mpi: MPI, tmp_path: Path
) -> None:
    """The program does not use MPI. Its behaviour depends on the seed."""

    def swept(script: str) -> subprocess.CompletedProcess[str]:
        words: list[str | Path] = ["sh", "-c", script]
        options = "--provoke-sweep", "3", "--hang-after", "4", "--mpicc", mpi.mpicc
        return run(mpi, words, *options, n=1)

    done = swept("echo $$; case $MPIPP_PROVOKE in 2) exit 3;; 3) sleep 99;; esac")
    assert (done.returncode, done.stderr) == (1, "")
    first, *told, last = done.stdout.splitlines()
    assert re.fullmatch(
        "mpipp: 2 unperturbed runs agree only in exit status 0: output of rank 0, line 1: "
        r"'\d+', unperturbed '\d+'",
        first,
    )
    assert told == [
        "mpipp: this sweep compares exit statuses and hangs, but not the output",
        "seed 2: exit status 3, unperturbed exit status 0",
        "seed 3: hangs, unperturbed exit status 0",
    ]
    assert last.startswith(
        "mpipp: 2 of 3 seeds differ; repeat the worst with: mpipp run --provoke=3 "
    )
    done = swept(f"mkdir {tmp_path}/made 2>/dev/null")  # succeeds only the first time
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "mpipp: two unperturbed runs differ, so mpipp cannot compare perturbed runs: exit "
        "status 1, unperturbed exit status 0\n"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--provoke=x"], "--provoke=x: a seed must be a number from 0 to 18446744073709551615"),
        (["--provoke-sweep", "0"], "--provoke-sweep 0: the number of seeds must be at least 1"),
        (
            ["--provoke-sweep", "1", "--check"],
            "--provoke-sweep runs without --check: leave out --check, then check a seed that "
            "differs with --check --provoke=SEED",
        ),
    ],
)
@on_mpi("mpich4")
def test_what_makes_no_sense_is_said(mpi: MPI, options: list[str], said: str) -> None:
    program = compile_program(PROGRAMS / "latent.c", mpi)
    done = run(mpi, [program], *options)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mpipp: {said}\n")


def outcome(status: int | None = 0, out: str = "", err: str = "") -> Outcome:
    return Outcome(status, 1, {"rank 0": out.encode()}, {"rank 0": err.encode()})


def test_differences() -> None:
    usual = outcome(out="a\nb\n")
    assert difference(usual, outcome(out="a\nb\n", err="x"), (OUTPUT,)) == ""
    assert difference(usual, outcome(None), STREAMS) == "hangs, unperturbed exit status 0"
    assert difference(usual, outcome(3), STREAMS) == ("exit status 3, unperturbed exit status 0")
    assert difference(usual, outcome(out="a\nc\n"), STREAMS) == (
        "output of rank 0, line 2: 'c', unperturbed 'b'"
    )
    assert difference(usual, outcome(out="a\nb"), STREAMS) == (
        "output of rank 0, line 3: none, unperturbed ''"
    )
    assert difference(usual, outcome(out="a\nb\n", err="x\n"), STREAMS) == (
        "standard error of rank 0, line 1: 'x', unperturbed ''"
    )


def test_output_goes_only_into_a_directory_of_ones_own(tmp_path: Path) -> None:
    """On another node, another user may have created a directory of that name, with links in it."""
    if os.geteuid() != 0:
        lacking("only root gives files to another user")
    victim = tmp_path / "victim"
    victim.write_text("mine")

    def status(directory: Path) -> int:
        words = ["sh", "-c", sweep._APART, str(directory), "echo", "output"]
        return subprocess.run(words, env={"PMI_RANK": "3", "PATH": os.environ["PATH"]}).returncode

    own, link, other = (tmp_path / name for name in ("own", "link", "other"))
    own.mkdir()
    link.symlink_to(own)
    other.mkdir()
    (other / "out rank 3").symlink_to(victim)
    (other / "out 3").symlink_to(victim)
    os.chown(other, 65534, 65534)
    assert [status(one) for one in (own, link, other)] == [0, 126, 126]
    assert [path.read_text() for path in own.glob("out*")] == ["output\n"]
    assert victim.read_text() == "mine"
