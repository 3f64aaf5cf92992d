# SPDX-License-Identifier: MIT
"""The recipes in docs/howto/ci.md pass for a correct program, and fail for a hang."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import support
from tests.docs.test_watch import FILE, environment
from tests.support import ROOT

try:
    import yaml
except ImportError:
    support.lacking("there is no yaml: run tools/setup.sh")

STACKS = """\
  stacks of all processes:
    count  ranks  stack, outermost call first
        1  0      halo.c:37 in main
                  MPI_Allreduce
        1  1      halo.c:35 in main
                  halo.c:17 in exchange
                  MPI_Recv(source 0, tag 2)
"""


def prepared(directory: Path) -> dict[str, str]:
    """Copy the examples and the page's files into a directory. Returns the environment."""
    mpi = support.find_mpi("mpich4")
    assert mpi.wrapper  # build the wrapper now: later, the run would print the build
    for name in ("rows.c", "halo.c"):
        shutil.copy(ROOT / "examples" / name, directory)
    for name, content in FILE.findall((ROOT / "docs/howto/ci.md").read_text()):
        (directory / name).write_text(content)
    return environment(mpi, directory)


def said(words: list[str], directory: Path, env: dict[str, str]) -> tuple[int, str]:
    """The exit status and the output of a command."""
    done = subprocess.run(
        words, cwd=directory, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout


def test_pytest(tmp_path: Path) -> None:
    env = prepared(tmp_path)
    for name in ("rows", "halo"):
        assert said(["mpicc", "-g", f"{name}.c", "-o", name], tmp_path, env) == (0, "")
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", "/dev/null"]
    status, text = said([*words, "--rootdir", ".", "test_rows.py"], tmp_path, env)
    assert status == 1, text
    assert "1 failed, 1 passed" in text
    assert "exit status 86\n" in text
    assert STACKS in text


def compiled(directory: Path) -> dict[str, str]:
    """The programs, and an environment with the variables of the action and the template."""
    env = prepared(directory)
    for name in ("rows", "halo"):
        assert said(["mpicc", "-g", f"{name}.c", "-o", name], directory, env) == (0, "")
    return {**env, "PROCESSES": "2", "OPTIONS": "--hang-after 2", "INSTALL": ""}


def test_action(tmp_path: Path) -> None:
    env = compiled(tmp_path)
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    install, run, show = (step["run"] for step in action["runs"]["steps"])
    for step in action["runs"]["steps"]:
        assert set(re.findall(r"inputs\.(\w+)", str(step["env"]))) <= set(action["inputs"])
    assert said(["bash", "-ec", install], tmp_path, env) == (0, "")
    for program, expected in (("./rows 'a b'", 0), ("./halo", 86)):
        env.update(PROGRAM=program, REPORT="my report")
        status, text = said(["bash", "-ec", run], tmp_path, env)
        assert status == expected, text
        status, text = said(["bash", "-ec", show], tmp_path, env)
        assert status == 0, text
        assert ("::error file=halo.c,line=" in text) == bool(expected)
        assert (tmp_path / "my report.html").exists()
        assert (tmp_path / "my report.sarif").exists()


@pytest.mark.thorough
def test_gitlab(tmp_path: Path) -> None:
    env = compiled(tmp_path)
    job = yaml.safe_load((ROOT / "packaging/ci/gitlab.yml").read_text())[".mpipp"]
    assert set(job["variables"]) == {"PROCESSES", "OPTIONS", "INSTALL"}
    for program, expected in (("./rows 'a b'", 0), ("./halo", 86)):
        env["PROGRAM"] = program
        for part, wanted in (("before_script", 0), ("script", expected), ("after_script", 0)):
            status, text = said(["bash", "-ec", "\n".join(job[part])], tmp_path, env)
            assert status == wanted, text
        results = (tmp_path / job["artifacts"]["reports"]["junit"]).read_text()
        assert ("<failure" in results) == bool(expected)


@pytest.mark.thorough
def test_ctest(tmp_path: Path) -> None:
    env = prepared(tmp_path)
    cmake, ctest = support.need("cmake"), support.need("ctest")
    compiler = f"-DMPI_C_COMPILER={tmp_path}/bin/mpicc"
    for words in ([cmake, "-B", "build", "-DHANG_AFTER=2", compiler], [cmake, "--build", "build"]):
        status, text = said(words, tmp_path, env)
        assert status == 0, text
    status, text = said([ctest, "--test-dir", "build", "--output-on-failure"], tmp_path, env)
    assert status != 0
    assert re.search(r"Test #1: rows \.+ +Passed", text), text
    assert re.search(r"Test #2: halo \.+\*\*\*Failed", text), text
    assert STACKS in text
