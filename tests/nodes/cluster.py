# SPDX-License-Identifier: MIT
"""Simulated nodes on this machine: each has its own host name, processes, /tmp and network, and a
real ssh server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support import BUILD, MPI, ROOT, lacking, need, wait_until

_SCRIPT = Path(__file__).with_name("cluster.sh")
# The directory in which tools/setup.sh unpacks openssh: an installed sshd would open a port.
_UNPACKED = ROOT / ".venv" / "openssh"
_SERVER = """\
HostKey {0}/host_key
AuthorizedKeysFile {0}/key.pub
PermitRootLogin yes
StrictModes no
UsePAM no
PidFile none
"""
_CLIENT = """\
IdentityFile {0}/key
UserKnownHostsFile {0}/known_hosts
StrictHostKeyChecking no
LogLevel ERROR
"""


class Cluster:
    """The node "head", which shares the processes and /tmp of this machine, and other nodes.

    Attributes:
        names: the names of the other nodes.
        directory: a directory that all nodes share.
        ssh: a script that replaces the command ssh.
    """

    def __init__(self, directory: Path, names: Sequence[str], process: int) -> None:
        self.names, self.directory, self.ssh = names, directory, directory / "ssh"
        self._process = process

    def inside(self, words: Sequence[str | Path]) -> list[str]:
        """Return the words that run a command on the head node, in the current directory."""
        enter = ["nsenter", f"--target={self._process}", "--net", "--uts", "--mount"]
        return [*enter, f"--wdns={Path.cwd()}", "--", *map(str, words)]

    def run(self, *words: str | Path) -> str:
        """Run a command on the head node, and return its output."""
        done = subprocess.run(
            self.inside(words), capture_output=True, text=True, check=False, timeout=100
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def launcher(self, mpi: MPI, hosts: Sequence[str]) -> list[str]:
        """Return the words of a launcher that starts a rank on each of `hosts`, beginning with rank
        0."""
        if mpi.id.startswith("mpich"):
            words = [mpi.mpiexec[0], "-launcher", "ssh", "-launcher-exec", str(self.ssh)]
            return [*words, "-hosts", ",".join(hosts)]
        agent = "prte_ssh_agent" if mpi.id == "openmpi5" else "plm_rsh_agent"
        option = "--prtemca" if mpi.id == "openmpi5" else "--mca"
        counts = ",".join(f"{host}:{hosts.count(host)}" for host in dict.fromkeys(hosts))
        words = [*mpi.mpiexec, option, agent, str(self.ssh), "--map-by", "node"]
        return [*words, "--mca", "btl", "tcp,self", "--mca", "pml", "ob1", "--host", counts]

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for MPI, which must use TCP because the nodes share no memory."""
        return {"UCX_TLS": "tcp,self"}


@contextmanager
def cluster(*names: str) -> Iterator[Cluster]:
    """Start nodes with these names. The test is skipped if the system does not allow namespaces."""
    if (
        os.geteuid()
        or subprocess.run(["unshare", "--net", "--uts", "true"], check=False).returncode
    ):
        lacking("nodes in namespaces need root, and CAP_SYS_ADMIN in a container")
    need("ip")
    need("ssh")
    need("gdbserver")
    BUILD.mkdir(parents=True, exist_ok=True)
    # Each node has its own /tmp, so the shared directory is elsewhere.
    directory = Path(tempfile.mkdtemp(prefix="cluster-", dir=BUILD))
    try:
        _configure(directory)
        words = ["unshare", "--net", "--uts", "--mount", "bash", str(_SCRIPT)]
        words += [str(ROOT), str(directory)]
        with subprocess.Popen(
            [*words, *names], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as script:
            assert script.stdin is not None and script.stdout is not None
            try:
                made = Cluster(directory, names, int(script.stdout.readline()))
                for name in names:
                    _await(made, name)
                yield made
            finally:
                script.stdin.close()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _configure(directory: Path) -> None:
    for key in ("key", "host_key"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(directory / key)], check=True
        )
    (directory / "sshd_config").write_text(_SERVER.format(directory))
    (directory / "ssh_config").write_text(_CLIENT.format(directory))
    _script(directory / "ssh", f"exec ssh -F {directory}/ssh_config")
    libraries = _UNPACKED / "usr/lib/x86_64-linux-gnu"
    _script(directory / "sshd", f"LD_LIBRARY_PATH={libraries} exec {_server()}")


def _server() -> str:
    found = shutil.which("sshd", path=f"/usr/sbin:{_UNPACKED}/usr/sbin")
    return found or lacking("there is no sshd: run tools/setup.sh")


def _script(path: Path, command: str) -> None:
    path.write_text(f'#!/bin/sh\n{command} "$@"\n')
    path.chmod(0o755)


def _await(made: Cluster, name: str) -> None:
    words = made.inside([made.ssh, name, "true"])

    def answers() -> bool:
        return subprocess.run(words, capture_output=True, check=False).returncode == 0

    wait_until(answers, lambda: f"no sshd answers on {name}")
