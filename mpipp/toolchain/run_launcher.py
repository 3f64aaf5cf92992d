# SPDX-License-Identifier: MIT
"""The launcher of a run: its path, its options, and the MPI library that it belongs to."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.toolchain import elf, launcher_ancestors, mpi_libraries
from mpipp.toolchain.mpi_libraries import FLAVORS, TITLES, Flavor, Mpi
from mpipp.toolchain.program_mpi import executable

_PATIENCE = 10.0  # seconds for a launcher to print its version
# The text in the version output of launchers, by flavor. Other launchers, such as those of batch
# systems, fit any MPI.
_SAID = {
    "mpich": re.compile(r"HYDRA build details|Intel\(R\) MPI Library"),
    "openmpi": re.compile(r"\((OpenRTE|Open MPI)\)"),
}
# MPICH's library implements the standard ABI, so its launcher starts programs with this ABI.
_FITS = {"abi": "mpich"}
# The program names of launchers that start processes, by flavor.
_NAMES = {
    "mpich": re.compile(r"hydra_|pmi_proxy|mpiexec\.(hydra|mpich)"),
    "openmpi": re.compile(r"orte|prte|mpiexec\.openmpi"),
}


# Launchers of batch systems, and options and variables that name nodes.
_OF_BATCH_SYSTEMS = ("srun", "aprun", "jsrun", "lrun", "flux", "ibrun")
_HOSTS = re.compile(r"--?(hosts?|H|f|ppn|N|(default-)?hostfile|machine(file)?)(=|$)")
_VARIABLES = (
    *("PBS_NODEFILE", "LSB_HOSTS", "LSB_MCPU_HOSTS", "PE_HOSTFILE", "COBALT_NODEFILE"),
    *("OAR_NODEFILE", "FLUX_JOB_ID", "HYDRA_HOST_FILE"),
    *("OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"),
)


class LauncherMpi(NamedTuple):
    """The MPI library that a launcher belongs to; `library` is its path, "" if unknown."""

    flavor: Flavor
    library: str


def command(mpi: Mpi, chosen: str | None) -> list[str]:
    """The command of the launcher, before its options.

    Args:
        chosen: the command that the user wrote, or None.

    Raises:
        MpippError: there is no launcher, the command is invalid, or its processes could not
            communicate.
    """
    words = _words(chosen)
    if words:
        _expect_to_fit(words[0], executable(words[0]), mpi)
        return words
    found = [_called(of(mpi))]
    # Open MPI runs as root only if two variables are set. One of the two is enough to show that the
    # user agrees.
    if mpi.flavor.key == "openmpi" and os.environ.get("OMPI_ALLOW_RUN_AS_ROOT"):
        found.append("--allow-run-as-root")
    return found


def may_use_several_nodes(words: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Return whether a launcher's command, its environment or a batch system names nodes."""
    if os.path.basename(words[0]) in _OF_BATCH_SYSTEMS or any(map(_HOSTS.match, words)):
        return True
    many = environment.get("SLURM_JOB_NUM_NODES", "1") != "1"
    return many or any(map(environment.get, _VARIABLES))


def _words(chosen: str | None) -> list[str]:
    try:
        return shlex.split(chosen) if chosen else []
    except ValueError as error:
        raise MpippError(f"--mpiexec {chosen}: {error}") from None


def mpi_of_command(chosen: str | None) -> LauncherMpi | None:
    """The MPI of the launcher's command that the user wrote; None if there is none, or unknown.

    Raises MpippError for an invalid command.
    """
    words = _words(chosen)
    return mpi_of(words[0]) if words else None


def mpi_of(name: str) -> LauncherMpi | None:
    """The MPI of a launcher (a path, or a name in PATH); None if it does not name its MPI."""
    path = shutil.which(name)
    return _known(_flavor(path), path) if path else None


def mpi_of_job() -> LauncherMpi | None:
    """The MPI of the launcher that has started this process; None if unknown."""
    for pid in (pid for group in launcher_ancestors.above(os.getpid()) for pid in group):
        try:
            path = os.readlink(f"{launcher_ancestors.PROC}/{pid}/exe")
        except OSError:
            continue
        name = os.path.basename(path)
        key = next((key for key, names in _NAMES.items() if names.match(name)), "")
        if key:
            return _known(key, path)
    return None


def fits(launcher: Flavor, program: Flavor) -> bool:
    """Return whether the launcher of an MPI starts programs with this ABI as one job."""
    return launcher.key == _FITS.get(program.key, program.key)


def _known(key: str, path: str) -> LauncherMpi | None:
    if not key:
        return None
    return LauncherMpi(FLAVORS[key], _library_beside(path, FLAVORS[key]))


def _library_beside(launcher: str, flavor: Flavor) -> str:
    # The library that the dynamic loader would find for programs of the launcher's installation.
    prefix = Path(os.path.realpath(launcher)).parent.parent
    folders = [Path(one) for one in os.environ.get("LD_LIBRARY_PATH", "").split(":") if one]
    folders += [*prefix.glob("lib*"), *prefix.glob("lib*/*/")]
    found = (path for one in folders for path in one.glob("libmpi*.so*"))
    return next((str(path) for path in found if flavor.library.match(path.name)), "")


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
    # Use the launcher's name without its path if the user's shell would find it. If Open MPI's
    # launcher is called by a path, it changes PATH and LD_LIBRARY_PATH of all processes, like
    # --prefix.
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
