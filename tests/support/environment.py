# SPDX-License-Identifier: MIT
"""The places and the environment of tests, and the tools that they need."""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "tests"
CACHE = BUILD / "cache"
# MPI libraries search for graphics cards on X displays :0 to :9. A program ends when such a display
# of another test is closed.
WITHOUT_DISPLAYS = {"HWLOC_COMPONENTS": "-gl"}
# Variables of the caller's environment that tools and programs need. Others are left out, so that a
# test is the same on every machine. PYTHONPYCACHEPREFIX: in another Debian the sources are
# read-only (tools/test_distro.sh).
MEASURED = "COVERAGE_PROCESS_START"  # set by tools/measure_coverage.py
_KEPT = ("PATH", "TMPDIR", "CI", "PYTHONPYCACHEPREFIX", MEASURED)


def lacking(what: str) -> NoReturn:
    """Skip the test or module if something is missing. In continuous integration, fail."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} (CI is set: nothing may be missing)", pytrace=False)
    pytest.skip(what, allow_module_level=True)


def need(tool: str, path: str | None = None) -> str:
    """The path of a program in PATH that the test needs; else the test is skipped."""
    return shutil.which(tool, path=path) or lacking(f"there is no {tool} on {path or 'PATH'}")


def library(name: str) -> str:
    """The path of a library that gcc finds; skips the test if there is none."""
    done = subprocess.run(
        [need("gcc"), f"-print-file-name={name}"], capture_output=True, text=True, check=True
    )
    path = done.stdout.strip()
    return path if os.path.isabs(path) else lacking(f"there is no {name}")


def another_user() -> int:
    """The id of another user, to whom root gives files; skips the test for other users."""
    if os.geteuid():
        lacking("files of another user: only root can make them")
    return pwd.getpwnam("nobody").pw_uid


def clean_environment(**more: str) -> dict[str, str]:
    """An environment that does not depend on the user of the tests, with `more` in it."""
    home = BUILD / "home"
    home.mkdir(parents=True, exist_ok=True)
    return {
        **{name: os.environ[name] for name in _KEPT if name in os.environ},
        **WITHOUT_DISPLAYS,
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "COLUMNS": "100",
        "MPIPP_CACHE": str(CACHE),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        # With three processes on two processors, MPI_Dist_graph_create of Open MPI 4.1.4 hangs in
        # one of a hundred runs, even without mpipp. All processes are in ompi_comm_nextcid.
        "OMPI_MCA_topo": "^treematch",
        **more,
    }


@contextmanager
def short_directory() -> Iterator[Path]:
    """A directory with a short path, for sockets. It must be empty at the end."""
    made = Path(tempfile.mkdtemp(prefix="mpipp-test-", dir="/tmp"))
    try:
        yield made
        assert list(made.iterdir()) == []
    finally:
        shutil.rmtree(made)


@contextmanager
def shared_directory() -> Iterator[Path]:
    """A directory that other users may enter, unlike pytest's."""
    made = Path(tempfile.mkdtemp(prefix="mpipp-test-", dir="/tmp"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on the file at `path` among all test processes."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
