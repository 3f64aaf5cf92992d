# SPDX-License-Identifier: MIT
"""Which MPI jobs run on this machine, of which processes, and which of those may be attached to?

Everything is read in /proc; no process is stopped.
"""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mpipp.cli.mpi import flavor_of_library

_PROC = Path("/proc")
# How launchers tell a process its rank, and a job its name.
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
_NAMES = ("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "SLURM_STEP_ID")
# Programs between the shell, or the system, and the ranks.
_LAUNCHER = re.compile(
    r"mpiexec|mpirun|orterun|orted|prte|prun|srun|slurmstepd|hydra_|pmi_proxy|aprun|jsrun|flux|pals"
)
_SYS_PTRACE = 1 << 19  # CAP_SYS_PTRACE


class Process(NamedTuple):
    """A process of a job.

    Attributes:
        pid: its number.
        program: the name it runs under.
        rank: in its MPI_COMM_WORLD as the launcher says; -1 if it does not.
        obstacle: why a debugger cannot attach to it and what to do; "" if it can.
    """

    pid: int
    program: str
    rank: int
    obstacle: str


class Job(NamedTuple):
    """The processes that were started together.

    Attributes:
        launcher: the number of the process that started them; a process's own that was not.
        name: how the batch system calls it, "1234.0"; "" without one.
        started_by: the launcher's program, "" if it is not there.
        processes: by rank.
    """

    launcher: int
    name: str
    started_by: str
    processes: tuple[Process, ...]


def jobs() -> list[Job]:
    """The jobs of the user's processes that have loaded MPI; for root, those of all users."""
    found: dict[tuple[int, str], list[tuple[Process, Mapping[str, str]]]] = {}
    user = os.getuid()
    for pid in _numbers():
        try:
            if user and os.stat(_PROC / str(pid)).st_uid != user:
                continue
            environment = _environment(pid)
            launcher = _launcher(pid)
            if not _has_mpi(pid):
                continue
        except OSError:  # it has ended, or may not be looked at
            continue
        key = launcher, next((environment[name] for name in _NAMES if name in environment), "")
        process = Process(pid, _program(pid), _rank(environment), obstacle(pid))
        found.setdefault(key, []).append((process, environment))
    return [_job(launcher, members) for (launcher, _), members in sorted(found.items())]


def _job(launcher: int, members: list[tuple[Process, Mapping[str, str]]]) -> Job:
    environment = members[0][1]
    name = environment.get("SLURM_JOB_ID", "")
    if name and "SLURM_STEP_ID" in environment:
        name += "." + environment["SLURM_STEP_ID"]
    processes = sorted((process for process, _ in members), key=lambda each: (each.rank, each.pid))
    alone = launcher in (each.pid for each in processes)
    return Job(launcher, name, "" if alone else _program(launcher), tuple(processes))


def process(pid: int) -> Process:
    """The process of this number, which may be none of MPI's."""
    try:
        rank = _rank(_environment(pid))
    except OSError:
        rank = -1
    return Process(pid, _program(pid), rank, obstacle(pid))


def obstacle(pid: int) -> str:
    """Why a debugger cannot attach to a process, and what to do; "" if it can."""
    status = _status(pid)
    if not status:
        return "has ended"
    if status.get("State", "").startswith("Z"):
        return "has ended, and its parent has not noticed yet"
    tracer = int(status.get("TracerPid", "0"))
    if tracer:
        return (
            f"is traced by {_program(tracer) or 'a process'} (pid {tracer}) already: "
            "detach it there, or end that"
        )
    try:  # with the rights that a debugger needs
        os.close(os.open(_PROC / str(pid) / "mem", os.O_RDONLY))
    except FileNotFoundError:
        return "has ended"
    except OSError:
        return f"may not be traced: {_permission(status)}"
    return ""


def _permission(status: Mapping[str, str]) -> str:
    owner = int(status.get("Uid", "0").split()[0])
    me = os.geteuid()
    if me and owner != me:
        return f"it is {_user(owner)}'s, so attach as that user or as root"
    scope = _first_line(_PROC / "sys/kernel/yama/ptrace_scope")
    if scope == "3":
        return "kernel.yama.ptrace_scope is 3, which forbids it until the machine is started anew"
    if me and scope in ("1", "2"):
        return (
            f"kernel.yama.ptrace_scope is {scope}, so attach as root, "
            "or let root do: sysctl kernel.yama.ptrace_scope=0"
        )
    if not me and not int(_status(os.getpid()).get("CapEff", "0"), 16) & _SYS_PTRACE:
        return "root lacks CAP_SYS_PTRACE here, so start the container with --cap-add=SYS_PTRACE"
    return "the system protects it, so attach as root, outside of any container"


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _numbers() -> Iterator[int]:
    return (int(each.name) for each in _PROC.iterdir() if each.name.isdigit())


def _launcher(pid: int) -> int:
    # The outermost ancestor that is a launcher; the process itself without.
    found, parent = pid, pid
    for _ in range(100):
        parent = int(_status(parent).get("PPid", "0"))
        if parent < 2:
            break
        if _LAUNCHER.match(_program(parent)):
            found = parent
    return found


def _status(pid: int) -> dict[str, str]:
    try:
        lines = (_PROC / str(pid) / "status").read_text(errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in lines)
    return {name: value.strip() for name, _, value in pairs}


def _program(pid: int) -> str:
    return _status(pid).get("Name", "")


def _first_line(path: Path) -> str:
    try:
        return path.read_text().split("\n")[0].strip()
    except OSError:
        return ""


def _has_mpi(pid: int) -> bool:
    # To run it: a debugger has its symbols.
    lines = (_PROC / str(pid) / "maps").read_text(errors="replace").splitlines()
    libraries = {line.split(None, 5)[5] for line in lines if ".so" in line and "xp " in line}
    return any(flavor_of_library(library) is not None for library in libraries)


def _environment(pid: int) -> Mapping[str, str]:
    words = (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    pairs = (os.fsdecode(word).partition("=") for word in words)
    return {name: value for name, _, value in pairs}


def _rank(environment: Mapping[str, str]) -> int:
    for name in _RANKS:
        if environment.get(name, "").isdigit():
            return int(environment[name])
    return -1
