# SPDX-License-Identifier: MIT
"""Find the MPI library that a program will load.

The dynamic loader itself is asked, because LD_LIBRARY_PATH, run paths and libraries of libraries
matter. For a Python program, Python is asked for the library of its mpi4py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from mpipp.common import file_trust
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.toolchain import elf
from mpipp.toolchain.mpi_libraries import Flavor, flavor_of_library

_PYTHON = re.compile(r"(python|pypy)[\d.]*$")

# Directories in which systems install their dynamic loaders.
_SYSTEM = re.compile(r"/(lib|lib32|lib64|libx32|usr|nix/store|gnu/store)/")

# Load the library without starting MPI, and print the mapped files. Remove the working directory
# from Python's path, because it may contain modules of other users.
_ASK_MPI4PY = """\
import sys
sys.path = [place for place in sys.path if place]
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
for line in open("/proc/self/maps"):
    if ".so" in line:
        print(line.split(None, 5)[5].strip())
"""


class NoMpi(MpippError):
    """A program that loads no MPI library itself. Such a program may start one that loads an MPI
    library."""


@dataclass(frozen=True)
class Program:
    """A program and the MPI library that it loads.

    Attributes:
        path: path of the executable file.
        library: path of the MPI library, or its soname if the loader does not find it.
        flavor: the ABI of the library.
    """

    path: str
    library: str
    flavor: Flavor


def inspect(name: str) -> Program:
    """Find the program `name` (a path, or a name in PATH) and the MPI library that it loads.

    Raises:
        NoMpi: the program loads no MPI library.
        MpippError: there is no such program, or its MPI library cannot be found safely.
    """
    path = executable(name)
    asked = _python_behind(path)
    libraries = _libraries_of_python(asked) if asked else _libraries_of_program(path)
    for library in libraries:
        flavor = flavor_of_library(library)
        if flavor:
            return Program(path, library, flavor)
    what = f"the mpi4py of {asked}" if asked else path
    raise NoMpi(
        f"{what} is not linked with a supported MPI library: pass the MPI program itself, or the "
        "MPI compiler with --mpicc"
    )


def executable(name: str) -> str:
    """The path of the file that the shell would execute for `name`.

    Raises:
        MpippError: there is none.
    """
    path = shutil.which(name)
    if path is not None:
        return path
    if not os.path.isfile(name):
        raise MpippError(f"there is no program {name}: give its path, or its name on PATH")
    if os.path.dirname(name):
        raise MpippError(f"{name} is not executable: make it so with chmod +x")
    if os.access(name, os.X_OK):
        raise MpippError(f"there is no program {name} on PATH: for the one here, write ./{name}")
    raise MpippError(
        f"there is no program {name} on PATH, and ./{name} is not executable: make it so with "
        f"chmod +x, and write ./{name}"
    )


def script_interpreter(path: str) -> str:
    """The interpreter in the first line of the script at `path`; "" if it is not a script."""
    with open(path, "rb") as file:
        line = file.readline(256).decode(errors="replace")
    words = line[2:].split() if line.startswith("#!") else []
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return (shutil.which(words[0]) or words[0]) if words else ""


def _python_behind(path: str) -> str:
    # The Python that runs a program: the program itself, or the Python in its first line; else "".
    if _PYTHON.match(os.path.basename(path)):
        return path
    python = script_interpreter(path)
    if not _PYTHON.match(os.path.basename(python)):
        return ""
    problem = file_trust.problem(python)
    if problem and python != shutil.which(os.path.basename(python)):
        raise _not_run(path, python, problem)
    return python


def _not_run(path: str, what: str, problem: str) -> MpippError:
    return MpippError(
        f"cannot find the MPI of {path} without starting {file_trust.shown(what)}, which is not "
        f"safe: {problem}; name the MPI compiler with --mpicc"
    )


def _libraries_of_python(python: str) -> list[str]:
    done = subprocess.run([python, "-c", _ASK_MPI4PY], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise NoMpi(f"{python} cannot load mpi4py: {reason}")
    return done.stdout.splitlines()


def _libraries_of_program(path: str) -> list[str]:
    if not elf.is_elf(path):
        raise NoMpi(
            f"{path} is a script: give the program it runs, or name the MPI compiler with --mpicc"
        )
    loader = elf.interpreter(path)
    if not loader:
        raise MpippError(
            f"{path} is statically linked, and nothing can be preloaded into it: "
            "link it with the shared MPI library"
        )
    problem = _untrusted(loader)
    if problem:
        raise _not_run(path, loader, problem)
    # In this mode the loader lists the libraries, and does not start the program.
    done = subprocess.run([loader, "--list", path], capture_output=True, text=True, check=False)
    libraries = []
    for line in done.stdout.splitlines():
        soname, _, rest = line.strip().partition(" => ")
        found = rest.split(" (")[0]
        libraries.append(soname if found in ("", "not found") else found)
    return libraries


def _untrusted(loader: str) -> str:
    # A foreign program may name any file as its loader.
    real = os.path.realpath(loader)
    if real == os.path.realpath(elf.interpreter(sys.executable)):
        return ""
    if not _SYSTEM.match(real):
        return "it is not in a directory of the system"
    return file_trust.problem(loader, owners=(0,))
