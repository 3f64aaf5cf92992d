# SPDX-License-Identifier: MIT
"""The MPI jobs on this machine, their processes, and whether a debugger may attach to these.

All data come from /proc; no process is stopped.
"""

from __future__ import annotations

import os
import pwd
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mpipp.common.text.sanitize import plain
from mpipp.toolchain import launcher_ancestors
from mpipp.toolchain.mpi_libraries import flavor_of_library

# Environment variables of launchers for the rank of a process and the name of a job.
_RANK = re.compile("[0-9]{1,9}")
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
_NAMES = ("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "SLURM_STEP_ID")
_SYS_PTRACE = 1 << 19  # CAP_SYS_PTRACE


class Process(NamedTuple):
    """A process of a job.

    Attributes:
        pid: its process id.
        program: its program name.
        rank: its rank in MPI_COMM_WORLD from the launcher; -1 if unknown.
        obstacle: the reason why a debugger cannot attach to it, and advice; "" if it can.
    """

    pid: int
    program: str
    rank: int
    obstacle: str


class Job(NamedTuple):
    """The processes that one launcher started together.

    Attributes:
        launcher: the process id of the launcher. Without a launcher, or if it has started other
            jobs,
            too, that of the first process.
        name: the name in the batch system, "1234.0"; "" without one.
        started_by: the launcher's program name, "" if it does not exist.
        processes: sorted by rank.
        above: the process ids of all launchers above it, which may belong to other jobs, too.
        node: the name of this node in Slurm; "" if Slurm has not started it.
    """

    launcher: int
    name: str
    started_by: str
    processes: tuple[Process, ...]
    above: tuple[int, ...] = ()
    node: str = ""


class _MpiProcess(NamedTuple):
    # A process that has loaded MPI, or one that mpipp may not read.
    process: Process
    environment: Mapping[str, str]
    above: tuple[int, ...]  # launchers, innermost first
    launcher: int


def jobs() -> list[Job]:
    """The jobs of the user's processes that have loaded MPI; for root, of all users' processes.

    The jobs include processes that a launcher has started and that mpipp may not read.
    """
    found: dict[tuple[int, str], list[_MpiProcess]] = {}
    hidden: list[_MpiProcess] = []
    user = os.getuid()
    for pid in _numbers():
        if user and int(launcher_ancestors.status(pid).get("Uid", "-1").split()[0]) != user:
            continue
        try:
            environment = _environment(pid)
            if _has_mpi(pid):
                one = _looked_at(pid, environment)
                name = next((environment[name] for name in _NAMES if name in environment), "")
                found.setdefault((one.launcher, name), []).append(one)
        except PermissionError:
            hidden.append(_looked_at(pid, {}))
        except OSError:  # the process has ended
            continue
    for one in _started(hidden):
        job = next((key for key in found if key[0] == one.launcher), (one.launcher, ""))
        found.setdefault(job, []).append(one)
    of = Counter(launcher for launcher, _ in found)
    return [_job(members, of[key[0]] == 1) for key, members in sorted(found.items())]


def loading(launcher: int) -> list[int]:
    """The ids of processes that have a rank from a launcher, and have not loaded MPI yet.

    Processes that have started others, as shells do, are left out.
    """
    found: list[int] = []
    for pid in _numbers():
        try:
            if _rank(_environment(pid)) < 0 or _has_mpi(pid):
                continue
        except OSError:  # the process has ended, or belongs to another user
            continue
        if launcher in (one for chain in launcher_ancestors.above(pid) for one in chain):
            found.append(pid)
    parents = {int(launcher_ancestors.status(pid).get("PPid", "0")) for pid in _numbers()}
    return [pid for pid in found if pid not in parents and not is_launcher(pid)]


def is_launcher(pid: int) -> bool:
    """Return whether a process is a launcher that still runs."""
    status = launcher_ancestors.status(pid)
    has_ended = status.get("State", "").startswith(("Z", "X"))
    return launcher_ancestors.is_launcher_name(status.get("Name", "")) and not has_ended


def _looked_at(pid: int, environment: Mapping[str, str]) -> _MpiProcess:
    chains = launcher_ancestors.above(pid)
    launcher = chains[0][-1] if chains else pid
    process = Process(pid, launcher_ancestors.program(pid), _rank(environment), obstacle(pid))
    return _MpiProcess(
        process, environment, tuple(one for chain in chains for one in chain), launcher
    )


def _started(hidden: Sequence[_MpiProcess]) -> Iterator[_MpiProcess]:
    # The processes below launchers, except launchers and the shells between them and their ranks.
    parents = {int(launcher_ancestors.status(one.process.pid).get("PPid", "0")) for one in hidden}
    for one in hidden:
        is_leaf = one.process.pid not in parents and not is_launcher(one.process.pid)
        if one.above and is_leaf:
            yield one


def _job(members: Sequence[_MpiProcess], is_all: bool) -> Job:
    # `is_all`: the launcher has started no other processes than the members.
    launcher, environment = members[0].launcher, members[0].environment
    name = environment.get("SLURM_JOB_ID", "")
    if name and "SLURM_STEP_ID" in environment:
        name += "." + environment["SLURM_STEP_ID"]
    name = plain(name, "")
    processes = sorted((one.process for one in members), key=lambda each: (each.rank, each.pid))
    number = launcher if is_all else processes[0].pid
    started_by = launcher_ancestors.program(launcher) if members[0].above else ""
    above = tuple(dict.fromkeys(launcher for one in members for launcher in one.above))
    node = environment.get("SLURMD_NODENAME", "")
    return Job(number, name, started_by, tuple(processes), above, node)


def process(pid: int) -> Process:
    """The process with this id. The process may not use MPI."""
    try:
        rank = _rank(_environment(pid))
    except OSError:
        rank = -1
    return Process(pid, launcher_ancestors.program(pid), rank, obstacle(pid))


def obstacle(pid: int) -> str:
    """The reason why a debugger cannot attach to a process, and advice; "" if it can."""
    status = launcher_ancestors.status(pid)
    if not status:
        return "has ended"
    if status.get("State", "").startswith("Z"):
        return "has ended, but its parent has not waited for it yet"
    tracer = int(status.get("TracerPid", "0"))
    if tracer:
        return (
            f"is already traced by {launcher_ancestors.program(tracer) or 'a process'} (pid "
            f"{tracer}): detach it there, or end the tracer"
        )
    try:  # the kernel opens this only for processes that may debug it
        os.close(os.open(_proc() / str(pid) / "mem", os.O_RDONLY))
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
    scope = _first_line(_proc() / "sys/kernel/yama/ptrace_scope")
    if scope == "3":
        return "kernel.yama.ptrace_scope is 3, which forbids it until the machine restarts"
    if me and scope in ("1", "2"):
        return (
            f"kernel.yama.ptrace_scope is {scope}, so attach as root, "
            "or let root do: sysctl kernel.yama.ptrace_scope=0"
        )
    if (
        not me
        and not int(launcher_ancestors.status(os.getpid()).get("CapEff", "0"), 16) & _SYS_PTRACE
    ):
        return "root lacks CAP_SYS_PTRACE here, so start the container with --cap-add=SYS_PTRACE"
    return "the system protects it, so attach as root, outside of any container"


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _proc() -> Path:
    return Path(launcher_ancestors.PROC)


def _numbers() -> Iterator[int]:
    return (int(each.name) for each in _proc().iterdir() if each.name.isdigit())


def _first_line(path: Path) -> str:
    try:
        return path.read_text().split("\n")[0].strip()
    except OSError:
        return ""


def _has_mpi(pid: int) -> bool:
    # Only libraries mapped as code: a debugger also maps them, but only to read their symbols.
    lines = (_proc() / str(pid) / "maps").read_text(errors="replace").splitlines()
    libraries = {line.split(None, 5)[5] for line in lines if ".so" in line and "xp " in line}
    return any(flavor_of_library(library) is not None for library in libraries)


def _environment(pid: int) -> Mapping[str, str]:
    words = (_proc() / str(pid) / "environ").read_bytes().split(b"\0")
    pairs = (os.fsdecode(word).partition("=") for word in words)
    return {name: value for name, _, value in pairs}


def _rank(environment: Mapping[str, str]) -> int:
    for name in _RANKS:
        if _RANK.fullmatch(environment.get(name, "")):
            return int(environment[name])
    return -1
