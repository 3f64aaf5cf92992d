# SPDX-License-Identifier: MIT
"""The MPI libraries on this machine, and their compilers.

An MPI library is identified by its compiler (`mpicc`): the header shows the ABI of the programs
that it builds. mpipp never guesses the ABI from names; names only show where to search.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mpipp.common import file_trust
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass

_COMPILER_NAMES = (
    "mpicc",
    "mpicc.mpich",
    "mpicc.openmpi",
    "mpicc_abi",
    "mpiicx",
    "mpiicc",
)

# The header's version macros. MPICH and MPI libraries derived from it define MPICH_VERSION. Under
# MPI_ABI, an MPICH header includes the standard ABI's header, which does not define it.
_PROBE = """\
#include <mpi.h>
#ifdef OPEN_MPI
mpipp_openmpi OMPI_MAJOR_VERSION OMPI_MINOR_VERSION OMPI_RELEASE_VERSION
#endif
#ifdef MPI_ABI_VERSION
mpipp_abi MPI_ABI_VERSION MPI_ABI_SUBVERSION
#endif
#ifdef I_MPI_VERSION
mpipp_intel I_MPI_VERSION
#endif
#ifdef MPICH_VERSION
mpipp_mpich MPICH_VERSION
#endif
"""


class NoCompiler(MpippError):
    """An MPI compiler that calls a missing C compiler."""

    def __init__(self, mpicc: str, compiler: str) -> None:
        super().__init__(
            f"{mpicc} calls the C compiler {compiler}, which does not exist: "
            "install it (Debian: gcc), or name another MPI compiler with --mpicc"
        )
        self.mpicc = mpicc
        self.compiler = compiler


@dataclass(frozen=True)
class Flavor:
    """A binary interface (ABI) of MPI libraries. Each flavor needs its own wrapper.

    Attributes:
        key: its name in file names and macros.
        title: its name in messages.
        library: matches the file name of a library with this ABI.
    """

    key: str
    title: str
    library: re.Pattern[str]


FLAVORS = {
    flavor.key: flavor
    for flavor in (
        Flavor("mpich", "the MPICH ABI", re.compile(r"libmpi(ch)?\.so\.12(\.|$)")),
        Flavor("openmpi", "Open MPI", re.compile(r"libmpi\.so\.40(\.|$)")),
        Flavor("abi", "the MPI standard ABI", re.compile(r"libmpi_abi\.so\.\d")),
    )
}


# Names of MPI libraries, or of the ABI if the header shows no library.
TITLES = {
    "openmpi": "Open MPI",
    "abi": "MPI standard ABI",
    "intel": "Intel MPI",
    "mpich": "MPICH",
}


@dataclass(frozen=True)
class Mpi:
    """An MPI installation, as its compiler shows it.

    Attributes:
        mpicc: path of the MPI compiler; "" if only a built wrapper is known.
        flavor: the ABI of the programs that it builds.
        name: name for messages, "MPICH 4.0.2".
        version: the version of the library, "4.0.2"; of the ABI if the header shows no library.
        compiler: path of the C compiler that mpicc calls.
        flags: the preprocessor flags with which that compiler finds mpi.h.
        procedures: the MPI procedures in the header, sorted, without "MPI_".
        library: path of the library that the program loads; "" if unknown.
        wrapper: path of the wrapper, if there is no compiler.
    """

    mpicc: str
    flavor: Flavor
    name: str
    version: str
    compiler: str
    flags: tuple[str, ...]
    procedures: tuple[str, ...]
    library: str = ""
    wrapper: str = ""


def flavor_of_library(name: str) -> Flavor | None:
    """The flavor of a library, by its file name or soname; None if it is not an MPI library."""
    base = os.path.basename(name)
    for flavor in FLAVORS.values():
        if flavor.library.match(base):
            return flavor
    return None


def default_mpicc() -> str:
    """The default MPI compiler: $MPICC, or else the mpicc in PATH.

    Raises:
        MpippError: there is none.
    """
    found = os.environ.get("MPICC") or shutil.which("mpicc")
    if not found:
        raise MpippError(
            "no MPI compiler: there is no mpicc on PATH and MPICC is not set; install one "
            "(Debian: libmpich-dev or libopenmpi-dev), or name it with --mpicc"
        )
    return found


def probe(mpicc: str) -> Mpi:
    """Identify the MPI library of a compiler `mpicc` (a path, or a name in PATH).

    Raises:
        MpippError: it cannot be run, is no MPI compiler, calls no C compiler, or
            belongs to an unknown MPI.
    """
    path = shutil.which(mpicc)
    if path is None:
        raise MpippError(f"there is no MPI compiler {mpicc}: name one with --mpicc")
    path = own_name(os.path.abspath(path))
    compiler, flags = _command_line(path)
    return of_headers(path, compiler, flags)


def of_headers(mpicc: str, compiler: str, flags: tuple[str, ...]) -> Mpi:
    """Identify the MPI library whose headers `compiler` finds with `flags`.

    Args:
        mpicc: the MPI compiler that calls `compiler`, or its name in messages.

    Raises:
        MpippError: there is no mpi.h, or it belongs to an unknown MPI.
    """
    command = [compiler, *flags, "-E", "-P", "-x", "c", "-"]
    done = subprocess.run(command, input=_PROBE, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MpippError(f"{mpicc} cannot compile #include <mpi.h>: name another with --mpicc")
    flavor, name, version = _identity(done.stdout, mpicc)
    return Mpi(mpicc, flavor, name, version, compiler, flags, _procedures(done.stdout))


def own_name(path: str) -> str:
    """The path of an MPI compiler under its specific name, such as mpicc.openmpi."""
    # Debian's mpicc is a link to /etc/alternatives/mpicc, then to mpicc.openmpi, then to a program
    # that must be called as mpicc.openmpi. The mpiexec for it lies beside that name.
    own = path
    while os.path.islink(path):
        path = os.path.join(os.path.dirname(path), os.readlink(path))
        if os.path.basename(path).startswith(("mpicc", "mpiic")):
            own = os.path.normpath(path)
    return own


def _command_line(mpicc: str) -> tuple[str, tuple[str, ...]]:
    # The C compiler and the preprocessor flags, from the output of `mpicc -show`.
    try:
        done = subprocess.run([mpicc, "-show"], capture_output=True, text=True, check=False)
        words = shlex.split(done.stdout) if done.returncode == 0 else []
    except (OSError, ValueError):
        words = []
    if not words:
        raise MpippError(f"{mpicc} is not an MPI compiler: name one with --mpicc")
    compiler = shutil.which(words[0])
    if compiler is None:
        raise NoCompiler(mpicc, words[0])
    flags: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if word in ("-I", "-D", "-isystem"):
            flags += [word, next(rest, "")]
        elif word.startswith(("-I", "-D")):
            flags.append(word)
    return compiler, tuple(flags)


def _identity(text: str, mpicc: str) -> tuple[Flavor, str, str]:
    said = dict(re.findall(r"^mpipp_(\w+) (.*)$", text, re.MULTILINE))
    numbers = {key: ".".join(re.findall(r"[\w.]+", value)) for key, value in said.items()}
    for key in ("openmpi", "abi", "intel", "mpich"):
        if key in numbers:
            flavor = FLAVORS["mpich" if key == "intel" else key]
            return flavor, f"{TITLES[key]} {numbers[key]}", numbers[key]
    raise MpippError(
        f"{mpicc} belongs to an unknown MPI library: mpipp supports the MPICH ABI, Open MPI and "
        "the MPI standard ABI"
    )


def _procedures(text: str) -> tuple[str, ...]:
    # The text of a "deprecated" attribute may contain names of other procedures.
    without_strings = re.sub(r'"[^"\n]*"', '""', text)
    return tuple(sorted(set(re.findall(r"\bMPI_(\w+)\s*\(", without_strings))))


def installed() -> Iterator[str]:
    """The paths of all programs with the name of an MPI compiler, in the order of preference.

    First $MPICC, then the directories of PATH, then the directory of this Python.
    """
    paths = [os.environ["MPICC"]] if os.environ.get("MPICC") else []
    search = [
        *os.environ.get("PATH", os.defpath).split(os.pathsep),
        os.path.dirname(sys.executable),
    ]
    paths += [os.path.join(place, name) for place in search for name in _COMPILER_NAMES]
    return iter(dict.fromkeys(filter(None, map(shutil.which, paths))))


def find(flavor: Flavor, library: str, say: Callable[[str], None]) -> Mpi:
    """The MPI installation with this flavor whose compiler lies beside the program's library.

    If there is none, return the first one from `installed` with this flavor.

    Args:
        library: path of the MPI library that the program loads.
        say: a function that takes a sentence about a compiler that cannot be used.

    Raises:
        MpippError: there is none.
    """
    lacking: NoCompiler | None = None
    chosen = list(installed())
    # Running a compiler is slow, so names of this flavor come first: mpicc.mpich before mpicc.
    names = sorted(_COMPILER_NAMES, key=lambda name: flavor.key not in name)
    for path in dict.fromkeys([*beside(library, names, chosen, say), *chosen]):
        try:
            mpi = probe(path)
        except NoCompiler as error:
            lacking = lacking or error
            continue
        except MpippError:
            continue
        if mpi.flavor is flavor:
            return replace(mpi, library=library)
    if lacking is not None:  # the installation without a compiler may be the wanted one
        raise lacking
    raise MpippError(
        f"no MPI compiler of {flavor.title} found beside the program's MPI library or on PATH: "
        "install it, or name it with --mpicc"
    )


def beside(
    library: str, names: Sequence[str], chosen: Sequence[str], say: Callable[[str], None]
) -> Iterator[str]:
    """The programs in the bin directories of installations that may contain an MPI library.

    These are PREFIX/bin for PREFIX/lib/x86_64-linux-gnu/libmpi.so.40. The author of a foreign
    program may have put programs there. So the function skips programs that other users can have
    written, except those that the user would call anyway.

    Args:
        library: path of the MPI library.
        names: the names of the programs.
        chosen: the paths of programs that the user would call.
        say: a function that takes a sentence about a program that is left out.
    """
    if not os.path.isabs(library):  # the dynamic loader does not find it
        return
    own = set(map(_entry, chosen))
    said: set[str] = set()
    for above in Path(os.path.realpath(library)).parents:
        if not re.match(r"lib(32|64|x32)?$", above.name):
            continue
        for name in names:
            path = shutil.which(str(above.parent / "bin" / name))
            problem = file_trust.problem(path) if path and _entry(path) not in own else ""
            if path and not problem:
                yield path
            elif path and problem not in said:
                said.add(problem)
                say(f"{file_trust.shown(path)} is left out: {problem}")


def _entry(path: str) -> str:
    # A program may behave differently under another name, so resolve only the directory.
    directory, name = os.path.split(path)
    return os.path.join(os.path.realpath(directory), name)
