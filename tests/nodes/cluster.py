# SPDX-License-Identifier: MIT
"""Several nodes on this machine: hosts, processes, /tmp and networks of their own, and real ssh."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support import BUILD, MPI, ROOT, lacking, need

_SCRIPT = Path(__file__).with_name("cluster.sh")
_UNPACKED = ROOT / ".venv" / "openssh"  # tools/setup.sh: installing it would open a port
_PATIENCE = 60.0  # seconds until all nodes answer
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
    """The nodes: "head", which has this machine's processes and /tmp, and others.

    Attributes:
        names: of the other nodes.
        directory: one that all nodes have.
        ssh: a script that is called as ssh.
    """

    def __init__(self, directory: Path, names: Sequence[str], process: int) -> None:
        self.names, self.directory, self.ssh = names, directory, directory / "ssh"
        self._process = process

    def inside(self, words: Sequence[str | Path]) -> list[str]:
        """The words of a command that runs on the head node, in this directory."""
        enter = ["nsenter", f"--target={self._process}", "--net", "--uts", "--mount"]
        return [*enter, f"--wdns={Path.cwd()}", "--", *map(str, words)]

    def run(self, *words: str | Path) -> str:
        """The output of a command on the head node."""
        done = subprocess.run(
            self.inside(words), capture_output=True, text=True, check=False, timeout=100
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def launcher(self, mpi: MPI, hosts: Sequence[str]) -> list[str]:
        """The words of a launcher for these hosts: rank 0 is on the first one."""
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
        """The variables that MPI needs: nodes share no memory."""
        return {"UCX_TLS": "tcp,self"}


@contextmanager
def cluster(*names: str) -> Iterator[Cluster]:
    """Start nodes with these names; skips the test if the system does not let it."""
    if (
        os.geteuid()
        or subprocess.run(["unshare", "--net", "--uts", "true"], check=False).returncode
    ):
        pytest.skip("namespaces need root, and CAP_SYS_ADMIN in a container")
    need("ip")
    need("ssh")
    need("gdbserver")
    BUILD.mkdir(parents=True, exist_ok=True)
    # Not in /tmp, which is another one on each node.
    directory = Path(tempfile.mkdtemp(prefix="cluster-", dir=BUILD))
    try:
        _configure(directory)
        words = ["unshare", "--net", "--uts", "--mount", "bash", str(_SCRIPT), str(directory)]
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
    until = time.monotonic() + _PATIENCE
    words = made.inside([made.ssh, name, "true"])
    while subprocess.run(words, capture_output=True, check=False).returncode:
        assert time.monotonic() < until, f"no sshd answers on {name}"
        time.sleep(0.1)
