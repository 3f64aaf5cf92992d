# SPDX-License-Identifier: MIT
"""`mpipp attach`: the processes of one job in one gdb."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from mpipp.cli.commands import attach as attach_command
from mpipp.cli.main import main
from mpipp.common.errors import MpippError
from mpipp.toolchain import launcher_ancestors, running_jobs
from mpipp.toolchain.running_jobs import Job, Process
from tests import support
from tests.ranks import ranks

PROGRAM = support.program_source("gdb", "table_one.c")
CHECKED = "1 finding in 2 processes, 0 active calls, 2 pending requests"
both = support.on_mpi("mpich4", "openmpi4")


def job_of(pid: int) -> Job:
    # Other users may run MPI programs on this machine.
    return next(job for job in running_jobs.jobs() if pid in [each.pid for each in job.processes])


@contextmanager
def traced(pid: int) -> Iterator[int]:
    """Attach a debugger to the process, and yield the debugger's process id."""
    words = [support.need("gdb"), "-nx", "-q", "-p", str(pid), "-ex", "echo \\nready\\n"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as gdb:
        assert gdb.stdin and gdb.stdout
        try:
            assert any(line == "ready\n" for line in gdb.stdout)
            yield gdb.pid
        finally:
            gdb.stdin.close()
            gdb.stdout.read()


@both
def test_a_job(mpi: support.MPI) -> None:
    with ranks(support.compile_program(PROGRAM, mpi), mpi) as pids:
        job = job_of(pids[0])
        assert [(each.pid, each.rank) for each in job.processes] == [(pids[0], 0), (pids[1], 1)]
        assert re.match("mpiexec|mpirun|orterun|prterun", job.started_by), job
        # Libraries have threads of their own.
        done = support.shell(
            *("attach", "--job", str(job.launcher), "--", "-batch", "-ex", "output $_thread"),
            *("-ex", "echo \\n", "-ex", "mpipp check"),
        )
    lines = done.stdout.splitlines()
    assert lines[1] == "1"
    assert lines[0] == "attached: rank 0 (inferior 1), rank 1 (inferior 2)"
    assert CHECKED in lines
    assert not done.stderr


# Rank 0 loads MPI after it gets permission. Then all ranks call MPI again and again.
LATE = """\
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (;;) MPI_Barrier(MPI_COMM_SELF);
}
"""
WAITING = re.compile(r"mpipp: waiting for the processes of \S+ \(process (\d+)\) to load MPI\n")


@both
def test_before_the_processes_have_loaded_mpi(mpi: support.MPI, tmp_path: Path) -> None:
    program, may = support.compile_program(LATE, mpi), tmp_path / "may"
    script = 'until [ -e "$1" ]; do sleep 0.02; done; exec "$2"'
    words = [*mpi.mpiexec, "-n", "2", "env", f"LD_PRELOAD={mpi.wrapper}", "sh", "-c", script]
    words += ["sh", str(may), str(program)]
    command = [sys.executable, "-m", "mpipp.cli", "attach"]
    gdb = ["-batch", "-ex", "mpipp break MPI_Barrier", "-ex", "continue", "-ex", "mpipp list calls"]
    env = support.clean_environment(PYTHONPATH=str(support.ROOT))
    with support.running(words, env=dict(mpi.env)) as launcher:
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with support.running([*command, str(launcher.pid), "--", *gdb], env=env, **piped) as attach:
            assert attach.stderr
            first = attach.stderr.readline()
            may.touch()
            said, _ = attach.communicate(timeout=100)
        support.end(launcher)
    found = WAITING.fullmatch(first)
    assert found and int(found[1]) == launcher.pid, first
    assert re.match(r"attached: (rank 0 \()?inferior 1\)?, (rank 1 \()?inferior 2\)?\n", said)
    assert "in MPI_Barrier, called at main.c:5 in main" in said


def test_a_launcher_that_starts_no_mpi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(attach_command, "_LATEST", 0.0)
    launcher = tmp_path / "mpiexec"
    launcher.symlink_to(support.need("cat"))
    with support.running([launcher], stdin=subprocess.PIPE) as process:
        while (
            launcher_ancestors.program(process.pid) != "mpiexec"
        ):  # wait until the new process runs the launcher
            time.sleep(0.01)
        with pytest.raises(MpippError) as raised:
            attach_command.named([str(process.pid)])
        assert process.stdin
        process.stdin.close()
    assert str(raised.value) == (
        f"no process that mpiexec (process {process.pid}) has started here has loaded MPI: attach "
        "again after MPI_Init"
    )
    capsys.readouterr()


@support.on_mpi("mpich4")
def test_the_launcher_and_processes_that_cannot_be_attached_to(mpi: support.MPI) -> None:
    with ranks(support.compile_program(PROGRAM, mpi), mpi) as pids:
        launcher = job_of(pids[0]).launcher
        with traced(pids[0]) as tracer:
            # Both ranks, by the id of their launcher, and one process that has ended.
            done = support.shell("attach", str(launcher), "4194999", "--", "-batch")
    name = support.compile_program(PROGRAM, mpi).name[:15]
    assert done.stderr.splitlines() == [
        f"mpipp: rank 0, process {pids[0]} ({name}) is already traced by gdb (pid {tracer}): "
        "detach it there, or end the tracer",
        "mpipp: process 4194999 has ended",
    ]
    assert done.stdout.splitlines()[0] == "attached: rank 1 (inferior 1)"


def test_the_command_of_gdb() -> None:
    output = support.gdb_batch(["mpipp attach", "mpipp attach me", "mpipp attach 4194999"])
    assert output.splitlines() == [
        "Write mpipp attach PID..., with the numbers of processes.",
        "Write mpipp attach PID..., with the numbers of processes.",
        "process 4194999: ptrace: No such process",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["attach", "1", "1"], "process 1 is passed twice: pass each PID once"),
        (["attach", "me"], "me is not a PID: pass the numbers of processes"),
        (["attach", "4194999"], "there is no process to attach to: see the lines above"),
        (
            ["attach", "--job", "5", "7"],
            "--job attaches to a whole job: leave out the PIDs, or leave out --job",
        ),
    ],
)
def test_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"mpipp: {said}"


FOUND = [
    Job(40, "", "mpiexec.hydra", tuple(Process(41 + i, "halo", i, "") for i in range(4))),
    Job(50, "4711.0", "slurmstepd", tuple(Process(51 + i, "column", 6 + i, "") for i in range(2))),
    Job(60, "", "", (Process(60, "python3", -1, ""),)),
]
CHOICE = """\
choose one of
  --job 40       4 processes of halo, ranks 0 to 3, started by mpiexec.hydra
  --job 50       2 processes of column, ranks 6 and 7, started by slurmstepd, job 4711.0
  --job 60       1 process of python3"""


def test_one_of_several_jobs() -> None:
    for wanted in ("50", "4711", "4711.0"):
        assert attach_command.chosen(FOUND, wanted) is FOUND[1]
    assert attach_command.chosen(FOUND[2:], None) is FOUND[2]
    refused: tuple[tuple[list[Job], str | None, str], ...] = (
        (FOUND, None, f"there are 3 jobs on this machine: {CHOICE}"),
        (FOUND, "7", f"there is no job 7 on this machine: {CHOICE}"),
        (
            [],
            None,
            "none of your processes on this machine has loaded MPI: attach on the machine where "
            "they run, or pass their PIDs",
        ),
        (
            [],
            "7",
            "there is no job 7 on this machine: none of your processes has loaded MPI here",
        ),
    )
    for found, name, said in refused:
        with pytest.raises(MpippError) as raised:
            attach_command.chosen(found, name)
        assert str(raised.value) == said


@pytest.mark.parametrize(
    ("me", "scope", "capabilities", "said"),
    [
        (1000, "0", "0", "it is root's, so attach as that user or as root"),
        (
            0,
            "3",
            "1ffffffffff",
            "kernel.yama.ptrace_scope is 3, which forbids it until the machine restarts",
        ),
        (
            0,
            "1",
            "a80425fb",
            "root lacks CAP_SYS_PTRACE here, so start the container with --cap-add=SYS_PTRACE",
        ),
        (
            0,
            "",
            "1ffffffffff",
            "the system protects it, so attach as root, outside of any container",
        ),
    ],
)
def test_what_forbids_it(
    me: int,
    scope: str,
    capabilities: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    yama = tmp_path / "sys" / "kernel" / "yama"
    yama.mkdir(parents=True)
    if scope:
        (yama / "ptrace_scope").write_text(f"{scope}\n")
    own = tmp_path / str(os.getpid())
    own.mkdir()
    (own / "status").write_text(f"Name:\tpython\nCapEff:\t{capabilities}\n")
    monkeypatch.setattr(launcher_ancestors, "PROC", tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: me)
    assert running_jobs._permission({"Uid": "0\t0\t0\t0"}) == said


def test_yama(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yama = tmp_path / "sys" / "kernel" / "yama"
    yama.mkdir(parents=True)
    (yama / "ptrace_scope").write_text("1\n")
    monkeypatch.setattr(launcher_ancestors, "PROC", tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert running_jobs._permission({"Uid": "1000\t1000\t1000\t1000"}) == (
        "kernel.yama.ptrace_scope is 1, so attach as root, "
        "or let root do: sysctl kernel.yama.ptrace_scope=0"
    )


class Started(NamedTuple):
    """The system's data about a process; `environ` is None if it is not readable."""

    parent: int
    program: str
    environ: str | None = ""
    has_mpi: bool = False


def rank(parent: int, number: int, environ: str = "") -> Started:
    return Started(parent, "halo", f"PMIX_RANK={number}\0{environ}", True)


SLURM = "SLURM_JOB_ID=7\0SLURM_STEP_ID=0"
MACHINE = {
    # In a container the launcher may be the first process.
    1: Started(0, "mpirun"),
    2: rank(1, 1, "PMIX_NAMESPACE=a"),
    3: rank(1, 0, "PMIX_NAMESPACE=a"),
    # A batch script with two launchers.
    10: Started(0, "slurmstepd", None),
    11: Started(10, "bash"),
    20: Started(11, "mpirun"),
    21: rank(20, 0, f"{SLURM}\0PMIX_NAMESPACE=b"),
    22: Started(20, "sh"),
    23: rank(22, 1, f"{SLURM}\0PMIX_NAMESPACE=b"),
    30: Started(11, "mpiexec.hydra"),
    31: Started(30, "hydra_pmi_proxy"),
    32: rank(31, 0, SLURM),
    33: Started(31, "halo", None),  # the process may not be read
    # Two jobs of one launcher.
    40: Started(0, "prted"),
    41: rank(40, 0, "PMIX_NAMESPACE=c"),
    42: rank(40, 0, "PMIX_NAMESPACE=d"),
    # A job of another user.
    50: Started(0, "mpirun", None),
    51: Started(50, "sh", None),
    52: Started(51, "wave", None),
    60: Started(0, "cat", None),
}


def test_who_started_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for pid, one in MACHINE.items():
        made = tmp_path / str(pid)
        made.mkdir()
        uid = os.getuid()
        status = f"Name:\t{one.program}\nPPid:\t{one.parent}\nUid:\t{uid}\t{uid}\n"
        (made / "status").write_text(status)
        (made / "environ").write_text(one.environ or "")
        (made / "maps").write_text("7f00-7f01 r-xp 0 08:01 9  /lib/libmpi.so.40\n" * one.has_mpi)
        (made / "mem").touch()

    def environment(pid: int) -> Mapping[str, str]:
        if MACHINE[pid].environ is None:
            raise PermissionError
        return read(pid)

    read = running_jobs._environment
    monkeypatch.setattr(launcher_ancestors, "PROC", tmp_path)
    monkeypatch.setattr(running_jobs, "_environment", environment)
    found = running_jobs.jobs()
    told = [
        (job.launcher, job.started_by, [one.pid for one in job.processes], job.above)
        for job in found
    ]
    assert told == [
        (1, "mpirun", [3, 2], (1,)),
        (20, "mpirun", [21, 23], (20, 10)),
        (30, "mpiexec.hydra", [33, 32], (31, 30, 10)),
        (41, "prted", [41], (40,)),
        (42, "prted", [42], (40,)),
        (50, "mpirun", [52], (50,)),
    ]
    # The id of a launcher selects its job, unless it has started several.
    for name, processes in (("20", [21, 23]), ("31", [33, 32]), ("42", [42]), ("60", [60])):
        assert [one.pid for one in attach_command.named([name])] == processes
    for name, launched in (("40", (41, 42)), ("10", (20, 30))):
        with pytest.raises(MpippError) as raised:
            attach_command.named([name])
        said = str(raised.value).splitlines()
        assert said[0] == f"there are 2 jobs of process {name} on this machine: choose one of"
        assert [line.split()[:2] for line in said[1:]] == [["--job", str(n)] for n in launched]


def test_names_of_other_users_do_not_reach_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ranks that are no numbers, or have too many digits, do not end the command."""
    forged = "7\nmpipp: all is well\x1b[2J\u202e"
    for pid, rank in ((5, "\xb2"), (6, "9" * 5000), (7, "1")):
        made = tmp_path / str(pid)
        made.mkdir()
        user = os.getuid()
        (made / "status").write_text(f"Name:\t\x1b]0;a\x07\x9b\nPPid:\t0\nUid:\t{user}\t{user}\n")
        environ = f"PMIX_RANK={rank}\0SLURM_JOB_ID={forged}\0SLURM_STEP_ID={pid}"
        (made / "environ").write_text(environ)
        (made / "maps").write_text("7f00-7f01 r-xp 0 08:01 9  /lib/libmpi.so.40\n")
        (made / "mem").touch()
    monkeypatch.setattr(launcher_ancestors, "PROC", tmp_path)
    assert main(["attach"]) == 2
    said = capsys.readouterr().err
    program, job = r"\033]0;a\a\302\233", r"7\nmpipp: all is well\033[2J\u202e"
    assert said.splitlines() == [
        "mpipp: there are 3 jobs on this machine: choose one of",
        f"  --job 5        1 process of {program}, job {job}.5",
        f"  --job 6        1 process of {program}, job {job}.6",
        f"  --job 7        1 process of {program}, rank 1, job {job}.7",
    ]


def test_launchers_are_known_by_whole_names() -> None:
    named = ("mpiexec.hydra", "hydra_pmi_proxy", "prterun", "flux-broker", "mpirun_rsh", "palsd")
    assert [name for name in named if not launcher_ancestors.is_launcher_name(name)] == []
    assert [
        name
        for name in ("fluxsolver", "palsy", "prune")
        if launcher_ancestors.is_launcher_name(name)
    ] == []
