# SPDX-License-Identifier: MIT
"""The wrapper for a program, and its preloading, for `mpipp run` and `mpipp gdb`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.toolchain import prebuilt_wrapper, run_launcher, started_programs
from mpipp.toolchain.build_wrapper import build, library_path, newest
from mpipp.toolchain.mpi_libraries import TITLES, Flavor, Mpi
from mpipp.toolchain.program_mpi import NoMpi, Program, inspect
from mpipp.toolchain.run_launcher import LauncherMpi
from mpipp.watcher.ipc import launch

_START = str(Path(launch.__file__).resolve())


def built(mpi: Mpi, *, force: bool = False) -> str:
    """The path of the wrapper for `mpi`. The wrapper is built if needed, with progress on
    stderr."""
    return mpi.wrapper or str(build(mpi, force=force, shows_progress=True))


def mpi_for(program_name: str, mpicc: str | None) -> Mpi:
    """The MPI whose wrapper fits the program; `mpicc` is the user's choice, or None.

    Raises:
        MpippError: the program loads no MPI library, no installed MPI fits, or `mpicc` does not
            fit.
    """
    if mpicc is None:
        program = inspect(program_name)
        return _with_library(program.flavor, program.library)
    mpi = mpis.probe(mpicc)
    try:
        program = inspect(program_name)
    except MpippError:
        return with_wrapper(mpi)  # the user may know that the program loads MPI later
    _check_flavor(program, mpi)
    return with_wrapper(replace(mpi, library=program.library))


def mpi_for_command(
    words: Sequence[str], mpicc: str | None, launcher: Callable[[], LauncherMpi | None]
) -> Mpi:
    """The MPI whose wrapper fits a command, which may be a script, `env`, `bash -c` or the like.

    If the program itself loads no MPI, this is the MPI of the first program that the command
    names. If the command names none, it is the MPI of the launcher, or of the MPI compiler that
    mpipp uses by default.

    Args:
        words: the program and its arguments.
        mpicc: the MPI compiler that the user chose, or None.
        launcher: finds the MPI of the launcher, if that is certain. Programs of another MPI do not
            count then.

    Raises:
        MpippError: no MPI is found, none installed fits, or `mpicc` does not fit the program.
    """
    try:
        return mpi_for(words[0], mpicc)
    except NoMpi as error:
        certain = launcher()
        for program in started_programs.find(words):
            if certain is None or run_launcher.fits(certain.flavor, program.flavor):
                return _with_library(program.flavor, program.library)
        known = certain or run_launcher.mpi_of("mpiexec")
        if known is not None:
            return _with_library(known.flavor, known.library)
        try:
            return with_wrapper(mpis.probe(mpis.default_mpicc()))
        except MpippError:
            raise error from None


def _with_library(flavor: Flavor, library: str) -> Mpi:
    # The MPI with this library, "" if its path is unknown. The MPI's wrapper is one of this
    # installation, or to be built with a compiler, or kept from an earlier build.
    known = Mpi("", flavor, TITLES[flavor.key], "", "", (), (), library)
    wrapper = prebuilt_wrapper.fitted(known) if library else ""
    if wrapper:
        return replace(known, wrapper=wrapper)
    try:
        return mpis.find(flavor, library, _say)
    except MpippError:
        kept = newest(flavor, library)
        if kept is None:
            raise
        _say(f"no MPI compiler found: mpipp uses the wrapper for {kept.name} from its cache")
        return kept


def with_wrapper(mpi: Mpi) -> Mpi:
    """Add the path of the wrapper that this installation of mpipp contains, if it contains one.

    A wrapper that the user has built for the compiler of `mpi` is preferred.

    Raises:
        MpippError: the cache cannot be written, or the MPI library cannot be read.
    """
    return mpi if library_path(mpi).exists() else replace(mpi, wrapper=prebuilt_wrapper.fitted(mpi))


def _say(sentence: str) -> None:
    print(plain(f"mpipp: {sentence}"), file=sys.stderr)


def _check_flavor(program: Program, mpi: Mpi) -> None:
    if program.flavor is not mpi.flavor:
        raise MpippError(
            f"{program.path} uses {program.flavor.title} ({program.library}), but {mpi.mpicc} "
            f"belongs to {mpi.name}: name a compiler of {program.flavor.title} with --mpicc"
        )


def prefix(wrapper: str, variables: Mapping[str, str], watched: Sequence[str] = ()) -> list[str]:
    """The words to put before a program, to load the wrapper only into that program.

    These words work with every launcher, and with any name of the program.

    Args:
        wrapper: the path of the wrapper.
        variables: variables to add to the program's environment.
        watched: the run's directory and the watcher's settings; None without a watcher.
    """
    directory, settings = watched or (launch.NOWHERE, "{}")
    words = [sys.executable, "-I", "-S", _START, directory, wrapper, settings]
    return [*words, *(f"{name}={value}" for name, value in variables.items()), launch.END]
