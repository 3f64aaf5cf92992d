# SPDX-License-Identifier: MIT
"""docs/howto/cores.md: the typed commands explain the hang of a job from its core files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.sessions import compiled, in_calls
from tests.support import ROOT, find_mpi, need, running

RECIPES = ROOT / "docs/howto/cores.md"
TUTORIAL = ROOT / "docs/tutorials/hang.md"
RECIPE = re.compile(r"<!-- cores: (\w+) -->\n```console\n\$ (.*)\n((?:\$ .*\n)+)```")
EXPLAINED = re.compile(r"^\(gdb\) mpipp why\n(deadlock: .*?)```", re.DOTALL | re.MULTILINE)
MARK = "@@@"


@pytest.mark.timeout(300)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide other processes from pgrep")
def test_cores_of_a_job(tmp_path: Path) -> None:
    mpi = find_mpi("mpich4")
    need("gcore")
    found = RECIPE.search(RECIPES.read_text())
    explained = EXPLAINED.search(TUTORIAL.read_text())
    assert found and explained
    program, start, rest = found.groups()
    compiled((program,), mpi, tmp_path)
    commands = [line[2:] for line in rest.splitlines()]
    mpipp = tmp_path / "bin" / "mpipp"
    mpipp.parent.mkdir()
    mpipp.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m mpipp.cli "$@"\n')
    mpipp.chmod(0o755)
    # Processes in a new PID namespace, so that all of them end with the shell.
    words = [need("unshare"), "--pid", "--fork", "--mount-proc", "sh"]
    env = {**mpi.env, "PATH": f"{mpipp.parent}:{mpi.env['PATH']}"}
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with running(words, cwd=tmp_path, env=env, **piped) as shell:
        assert shell.stdin and shell.stdout
        shell.stdin.write(f"{start} > launched 2>&1 < /dev/null &\n")
        shell.stdin.flush()
        in_calls(4, program, tmp_path)
        shell.stdin.write("\n".join([*commands[:-1], f"echo {MARK}", commands[-1], ""]))
        shell.stdin.close()
        said = shell.stdout.read()
    assert said.partition(f"{MARK}\n")[2] == explained[1] + "\n", said
