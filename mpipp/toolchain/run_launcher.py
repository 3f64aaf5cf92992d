# SPDX-License-Identifier: MIT
"""The launcher of a run: its path, its options, and the MPI library that it belongs to."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess

from mpipp.common.errors import MpippError
from mpipp.toolchain import elf, mpi_libraries
from mpipp.toolchain.mpi_libraries import TITLES, Mpi
from mpipp.toolchain.program_mpi import executable

_PATIENCE = 10.0  # seconds for a launcher to print its version
# The version output of launchers, by flavor. Other launchers, as those of batch systems, fit any
# MPI.
_SAID = {
    "mpich": re.compile(r"HYDRA build details|Intel\(R\) MPI Library"),
    "openmpi": re.compile(r"\((OpenRTE|Open MPI)\)"),
}
# MPICH's library implements the standard ABI, so its launcher starts programs with this ABI.
_FITS = {"abi": "mpich"}


def command(mpi: Mpi, chosen: str | None) -> list[str]:
    """The command of the launcher, before its options.

    Args:
        chosen: the command that the user wrote, or None.

    Raises:
        MpippError: there is no launcher, the command is invalid, or its processes could not
            communicate.
    """
    try:
        words = shlex.split(chosen) if chosen else []
    except ValueError as error:
        raise MpippError(f"--mpiexec {chosen}: {error}") from None
    if words:
        _expect_to_fit(words[0], executable(words[0]), mpi)
        return words
    found = [_called(of(mpi))]
    # Open MPI wants two variables from root. One of them is enough to show that the user agrees.
    if mpi.flavor.key == "openmpi" and os.environ.get("OMPI_ALLOW_RUN_AS_ROOT"):
        found.append("--allow-run-as-root")
    return found


def of(mpi: Mpi) -> str:
    """The path of the launcher that belongs to this MPI.

    Raises:
        MpippError: no launcher is beside its compiler or, without a compiler, beside its library
            or in PATH.
    """
    if not mpi.mpicc:
        return _without_compiler(mpi)
    directory, name = os.path.split(mpi.mpicc)
    ending = name[len("mpicc") :] if name.startswith("mpicc.") else ""
    candidates = [os.path.join(directory, "mpiexec" + ending), os.path.join(directory, "mpiexec")]
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return candidate
    raise MpippError(f"no mpiexec beside {mpi.mpicc}: name the launcher with --mpiexec")


def _without_compiler(mpi: Mpi) -> str:
    wanted = _FITS.get(mpi.flavor.key, mpi.flavor.key)
    names = (f"mpiexec.{wanted}", "mpiexec")
    on_path = [path for path in map(shutil.which, names) if path]
    found = mpi_libraries.beside(mpi.library, names, on_path, lambda sentence: None)
    for path in dict.fromkeys([*found, *on_path]):
        if path.endswith(f".{wanted}") or _flavor(path) in ("", wanted):
            return path
    raise MpippError(
        f"no mpiexec of {mpi.flavor.title} beside the program's MPI library or on PATH: name the "
        "launcher with --mpiexec"
    )


def _called(path: str) -> str:
    # Use the name if the user's shell would find it. If Open MPI's launcher is
    # called by a path, it changes PATH and LD_LIBRARY_PATH of all processes, like --prefix.
    name = os.path.basename(path)
    found = shutil.which(name)
    return name if found and os.path.samefile(found, path) else path


def _flavor(path: str) -> str:
    # The flavor of a launcher; "" if unknown.
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return next((key for key, said in _SAID.items() if said.search(done.stdout)), "")


def _expect_to_fit(name: str, path: str, mpi: Mpi) -> None:
    # With the launcher of another MPI, each process would be a job of its own.
    found, wanted = _flavor(path), _FITS.get(mpi.flavor.key, mpi.flavor.key)
    if found in ("", wanted) or (found == "openmpi" and _speaks_pmix(mpi.library)):
        return
    raise MpippError(
        f"--mpiexec {name} is {TITLES[found]}'s launcher, and the program uses "
        f"{mpi.flavor.title}: each process would be a job of its own; name {TITLES[wanted]}'s "
        "launcher"
    )


def _speaks_pmix(library: str) -> bool:
    # MPICH can be built for Open MPI's launcher.
    try:
        return any(name.startswith("libpmix.so") for name in elf.needed(library))
    except MpippError:
        return False
