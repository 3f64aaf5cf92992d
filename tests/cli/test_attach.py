# SPDX-License-Identifier: MIT
"""`mpipp attach`: the processes of one job in one gdb."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import support
from ranks import ranks

from mpipp.cli import attach, jobs
from mpipp.cli.jobs import Job, Process
from mpipp.cli.main import main
from mpipp.errors import MpippError

PROGRAM = support.ROOT / "tests" / "gdb" / "programs" / "table_one.c"
CHECKED = "1 finding in 2 processes, 0 active calls, 2 pending requests"
both = support.on_mpi("mpich4", "openmpi4")


def job_of(pid: int) -> Job:
    # Others run MPI programs on this machine.
    return next(job for job in jobs.jobs() if pid in [each.pid for each in job.processes])


@contextmanager
def traced(pid: int) -> Iterator[int]:
    """A debugger that has the process: its own number."""
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


@support.on_mpi("mpich4")
def test_the_launcher_and_processes_that_cannot_be_attached_to(mpi: support.MPI) -> None:
    with ranks(support.compile_program(PROGRAM, mpi), mpi) as pids:
        launcher = job_of(pids[0]).launcher
        with traced(pids[0]) as tracer:
            # Both ranks by their launcher, and one that has ended.
            done = support.shell("attach", str(launcher), "4194999", "--", "-batch")
    name = support.compile_program(PROGRAM, mpi).name[:15]
    assert done.stderr.splitlines() == [
        f"mpipp: rank 0, process {pids[0]} ({name}) is traced by gdb (pid {tracer}) already: "
        "detach it there, or end that",
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
        (["attach", "1", "1"], "process 1 is named twice"),
        (["attach", "me"], "me is not the number of a process"),
        (["attach", "4194999"], "there is no process to attach to"),
        (
            ["attach", "--job", "5", "7"],
            "--job attaches to all of a job: name no processes, or leave it out",
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
name one of
  --job 40       4 processes of halo, ranks 0 to 3, started by mpiexec.hydra
  --job 50       2 processes of column, ranks 6 and 7, started by slurmstepd, job 4711.0
  --job 60       1 process of python3"""


def test_one_of_several_jobs() -> None:
    for wanted in ("50", "4711", "4711.0"):
        assert attach._chosen(FOUND, wanted) is FOUND[1]
    assert attach._chosen(FOUND[2:], None) is FOUND[2]
    refused: tuple[tuple[list[Job], str | None, str], ...] = (
        (FOUND, None, f"there are 3 jobs on this machine: {CHOICE}"),
        (FOUND, "7", f"there is no job 7 on this machine: {CHOICE}"),
        (
            [],
            None,
            "none of your processes on this machine has loaded MPI: attach where they run, or "
            "name them by PID",
        ),
    )
    for found, name, said in refused:
        with pytest.raises(MpippError) as raised:
            attach._chosen(found, name)
        assert str(raised.value) == said


@pytest.mark.parametrize(
    ("me", "scope", "capabilities", "said"),
    [
        (1000, "0", "0", "it is root's, so attach as that user or as root"),
        (
            0,
            "3",
            "1ffffffffff",
            "kernel.yama.ptrace_scope is 3, which forbids it until the machine is started anew",
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
    own = tmp_path / str(jobs.os.getpid())
    own.mkdir()
    (own / "status").write_text(f"Name:\tpython\nCapEff:\t{capabilities}\n")
    monkeypatch.setattr(jobs, "_PROC", tmp_path)
    monkeypatch.setattr(jobs.os, "geteuid", lambda: me)
    assert jobs._permission({"Uid": "0\t0\t0\t0"}) == said


def test_yama(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yama = tmp_path / "sys" / "kernel" / "yama"
    yama.mkdir(parents=True)
    (yama / "ptrace_scope").write_text("1\n")
    monkeypatch.setattr(jobs, "_PROC", tmp_path)
    monkeypatch.setattr(jobs.os, "geteuid", lambda: 1000)
    assert jobs._permission({"Uid": "1000\t1000\t1000\t1000"}) == (
        "kernel.yama.ptrace_scope is 1, so attach as root, "
        "or let root do: sysctl kernel.yama.ptrace_scope=0"
    )
