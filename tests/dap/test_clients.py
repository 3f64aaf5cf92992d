# SPDX-License-Identifier: MIT
"""Clients that others have written: the protocol's own test client, and Emacs."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.dap.session import command, environment, gdb_options
from tests.debug.test_run_control import PROGRAMS
from tests.support import MPI, ROOT, compile_program, finished, lacking, need, on_mpi

HERE = Path(__file__).parent
SOURCE = PROGRAMS / "ring.c"
LINE = 9
PAGE = ROOT / "docs" / "howto" / "debug-in-an-editor.md"
PACKAGES = ROOT / ".venv" / "node" / "node_modules"


def server(directory: Path, mpi: MPI) -> list[str]:
    """Words that start `mpipp dap`: clients take a program and an argument."""
    script = directory / "mpipp"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(command()[:-1])} "$@"\n')
    script.chmod(0o755)
    return [str(script), "dap"]


def launch(mpi: MPI) -> dict[str, Any]:
    """The settings of a session."""
    return {
        "program": str(compile_program(SOURCE, mpi)),
        "ranks": 2,
        "mpiexec": shlex.join(mpi.mpiexec),
        "gdbOptions": gdb_options(),
    }


@on_mpi("mpich4", "openmpi4")
def test_the_test_client_of_the_protocol(mpi: MPI, tmp_path: Path) -> None:
    node = need("node")
    if not (PACKAGES / "@vscode" / "debugadapter-testsupport").exists():
        lacking("there is no debugadapter-testsupport: run tools/setup.sh")
    settings = {
        "server": server(tmp_path, mpi),
        "launch": launch(mpi),
        "source": str(SOURCE),
        "line": LINE,
    }
    words = [node, str(HERE / "standard_client.js"), json.dumps(settings)]
    env = environment(mpi, {"NODE_PATH": str(PACKAGES)})
    done = finished(words, 200, env=env, stdout=-1, stderr=-1)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def test_the_extension_for_visual_studio_code() -> None:
    words = [need("node"), "--test", str(ROOT / "editors" / "vscode" / "test")]
    done = finished(words, 100, stdout=-1, stderr=-1)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def block(page: Path, language: str) -> str:
    """The first block of code in this language."""
    found = re.search(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert found, f"{page}: no block of {language}"
    return found[1]


def test_the_settings_in_the_documents_are_known() -> None:
    declared = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text())
    attributes = declared["contributes"]["debuggers"][0]["configurationAttributes"]
    for one in json.loads(block(PAGE, "json"))["configurations"]:
        known = {"type", "request", "name", *attributes[one["request"]]["properties"]}
        assert set(one) <= known


@pytest.mark.thorough
@on_mpi("mpich4")
def test_emacs(mpi: MPI, tmp_path: Path) -> None:
    emacs = need("emacs")
    if not list(Path("/usr/share/emacs/site-lisp/elpa").glob("dap-mode-*")):
        lacking("there is no dap-mode: run tools/setup.sh")
    settings = launch(mpi)
    provider = tmp_path / "provider.el"
    provider.write_text(block(PAGE, "elisp"))
    words = [emacs, "-batch", "-l", str(HERE / "emacs_client.el"), str(provider)]
    path = f"{Path(server(tmp_path, mpi)[0]).parent}:{os.environ['PATH']}"
    words += [str(SOURCE), str(LINE), settings["program"], settings["mpiexec"]]
    env = environment(mpi, {"HOME": str(tmp_path), "PATH": path})
    done = finished([*words, settings["gdbOptions"]], 200, env=env, stdout=-1, stderr=-1)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert done.stdout.splitlines() == [
        "stopped at ring.c:9",
        "rank 0: relax at ring.c:9; rank 1: relax at ring.c:9",
        "ranks 0 and 1: 10",
        "the session is terminated",
    ]
