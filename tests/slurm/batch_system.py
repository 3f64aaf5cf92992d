# SPDX-License-Identifier: MIT
"""A real Slurm on simulated nodes: a controller on the node "head", and a daemon on each other
node.

It changes no file of the system, and uses the unpacked packages of tools/setup.sh: the installed
packages would start services.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.nodes.cluster import Cluster, cluster
from tests.support import ROOT, clean_environment, lacking, wait_until

_UNPACKED = ROOT / ".venv" / "slurm"
_PLUGINS = _UNPACKED / "usr/lib/x86_64-linux-gnu/slurm-wlm"
_COMMANDS = ("srun", "sbatch", "salloc", "scancel", "squeue", "sinfo", "scontrol")
_PROCESSORS = 8  # of each node, as Slurm counts them
# Most clusters find the processes of a step by their cgroup. Containers may offer version 1 of
# cgroups to Slurm, but no controllers of version 2.
_CGROUPS = Path("/sys/fs/cgroup/freezer")
_CGROUP_CONFIGURATION = f"""\
CgroupPlugin=cgroup/v1
CgroupMountpoint={_CGROUPS.parent}
CgroupAutomount=no
"""
_CONFIGURATION = """\
ClusterName=simulated
SlurmctldHost=head
SlurmUser=root
AuthInfo=socket={directory}/munge.socket
PluginDir={plugins}
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/%n
SlurmdPidFile={directory}/%n.pid
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdLogFile={directory}/%n.slurmd.log
SlurmctldLogFile={directory}/slurmctld.log
ProctrackType=proctrack/{tracking}
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
MailProg=/bin/true
ReturnToService=2
KillWait={kill_wait}
NodeName={nodes} CPUs={processors}
PartitionName=all Nodes=ALL Default=YES
"""


class BatchSystem:
    """A running Slurm.

    Attributes:
        nodes: its nodes.
        directory: a directory that all nodes share.
    """

    def __init__(self, nodes: Cluster) -> None:
        self.nodes, self.directory = nodes, nodes.directory
        self._commands = nodes.directory / "bin"

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """Return the environment for commands on the head node, with these variables."""
        path = f"{self._commands}:{more.get('PATH', os.environ['PATH'])}"
        return {
            **self.nodes.environment,
            "OMPI_MCA_btl": "tcp,self",  # as in Cluster.launcher
            "OMPI_MCA_pml": "ob1",
            **more,
            "PATH": path,
            "SLURM_CONF": str(self.directory / "slurm.conf"),
        }

    def alone(self, words: Sequence[str | Path]) -> list[str]:
        """Return the words that run a command on the head node, without the nodes' processes.

        The head node shares the processes of this machine, and so those of the other nodes.
        """
        apart = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        return self.nodes.inside([*apart, *words])

    def run(
        self, words: Sequence[str | Path], timeout: float = 100, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on the head node, with these environment variables too."""
        return subprocess.run(
            self.nodes.inside(words),
            env=self.environment(clean_environment(PYTHONPATH=str(ROOT), **more)),
            cwd=self.directory,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )


@contextmanager
def batch_system(*names: str, kill_wait: int = 30, cgroups: bool = False) -> Iterator[BatchSystem]:
    """Start Slurm on nodes with these names.

    The test is skipped if the system lacks Slurm, or allows no namespaces.

    Args:
        kill_wait: seconds between SIGTERM and SIGKILL at the time limit of a job.
        cgroups: True to find the processes of a step by their cgroup. The test is skipped if this
            system has no cgroups of version 1 that it may change.
    """
    if not (_UNPACKED / "usr/sbin/slurmd-wlm").exists():
        lacking("there is no Slurm: run tools/setup.sh")
    with _cgroup(cgroups) as group, cluster(*names) as nodes, ExitStack() as daemons:
        made = BatchSystem(nodes)
        _configure(made, names, kill_wait, "cgroup" if group else "linuxproc")
        directory = nodes.directory
        for daemon in ("munged", "slurmctld"):
            daemons.enter_context(_daemon(made, [directory / "bin" / daemon]))
            if daemon == "munged":
                _await(
                    lambda: (directory / "munge.socket").exists(),
                    "munged does not start",
                    directory,
                )
        for name in names:
            # The daemon ends with the processes of its node.
            command = f"{directory}/bin/slurmd -N {name}"
            if group:  # the nodes of other tests have the same names
                command = f"mount --bind {group} {_CGROUPS} && exec {command}"
            daemons.enter_context(_daemon(made, [nodes.ssh, name, command]))
        _await(lambda: _are_idle(made, names), "the nodes of Slurm do not become idle", directory)
        yield made


@contextmanager
def _cgroup(is_wanted: bool) -> Iterator[Path | None]:
    # Yields a group for the processes of all nodes; None if it is not wanted.
    if not is_wanted:
        yield None
        return
    group = _CGROUPS / f"mpipp-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        group.mkdir()
    except OSError as error:  # no missing tool: many systems offer only version 2
        pytest.skip(f"cannot make a cgroup of version 1 in {_CGROUPS}: {error.strerror}")
    try:
        yield group
    finally:
        for folder, _, _ in list(os.walk(group, topdown=False)):
            wait_until(partial(_is_removed, folder), f"{folder} has processes".format)


def _is_removed(folder: str) -> bool:
    try:
        os.rmdir(folder)
    except OSError:  # the processes of the nodes are ending
        return False
    return True


def _configure(made: BatchSystem, names: Sequence[str], kill_wait: int, tracking: str) -> None:
    directory = made.directory
    for one in (directory, directory.parent):  # munged requires that all users reach its socket
        one.chmod(0o755)
    for name in ("bin", "state", *names):
        (directory / name).mkdir()
    key = directory / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    text = _CONFIGURATION.format(
        directory=directory,
        plugins=_PLUGINS,
        nodes=",".join(names),
        processors=_PROCESSORS,
        kill_wait=kill_wait,
        tracking=tracking,
    )
    (directory / "slurm.conf").write_text(text)
    (directory / "cgroup.conf").write_text(_CGROUP_CONFIGURATION)
    for command in _COMMANDS:
        _script(made, command, f"usr/bin/{command}")
    _script(made, "slurmctld", "usr/sbin/slurmctld-wlm", "-D")
    step = _UNPACKED / "usr/sbin/slurmstepd-wlm"
    _script(made, "slurmd", "usr/sbin/slurmd-wlm", f"-D -d {step}")
    words = f"--socket={directory}/munge.socket " + " ".join(
        f"--{file}-file={directory}/munge.{file}" for file in ("key", "pid", "log", "seed")
    )
    _script(made, "munged", "usr/sbin/munged", f"--foreground {words}")


def _script(made: BatchSystem, command: str, program: str, options: str = "") -> None:
    path = made.directory / "bin" / command
    path.write_text(
        f"#!/bin/sh\nexport LD_LIBRARY_PATH={_PLUGINS}:{_PLUGINS.parent}\n"
        f"export SLURM_CONF={made.directory}/slurm.conf\n"
        f'exec {_UNPACKED}/{program} {options} "$@"\n'
    )
    path.chmod(0o755)


@contextmanager
def _daemon(made: BatchSystem, words: Sequence[str | Path]) -> Iterator[None]:
    # The system ends the daemon if the tests are killed.
    words = ["setpriv", "--pdeathsig", "KILL", "--", *words]
    with (
        (made.directory / "daemons.log").open("a") as log,
        subprocess.Popen(
            made.nodes.inside(words), stdin=subprocess.DEVNULL, stdout=log, stderr=log
        ) as process,
    ):
        try:
            yield
        finally:
            process.kill()


def _are_idle(made: BatchSystem, names: Sequence[str]) -> bool:
    states = made.run(["sinfo", "--noheader", "--Node", "--format=%N %T"]).stdout.split("\n")
    return all(f"{name} idle" in states for name in names)


def _await(is_ready: Callable[[], bool], problem: str, logs: Path) -> None:
    def said() -> str:
        return "".join(path.read_text()[-2000:] for path in sorted(logs.glob("*.log")))

    wait_until(is_ready, lambda: f"{problem}: {said()}")
