# SPDX-License-Identifier: MIT
"""Common code of `mpipp run` and `mpipp gdb`: the wrapper for a program, and its preloading."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.toolchain.build_wrapper import build, newest
from mpipp.toolchain.mpi_libraries import Mpi
from mpipp.toolchain.program_mpi import Program, inspect
from mpipp.watcher.ipc import launch

_START = str(Path(launch.__file__).resolve())


def built(mpi: Mpi, *, force: bool = False) -> str:
    """The path of the wrapper for `mpi`, which is built now if need be, with progress on stderr."""
    return mpi.wrapper or str(build(mpi, force=force, shows_progress=True))


def mpi_for(program_name: str, mpicc: str | None) -> Mpi:
    """The MPI whose wrapper fits the program, with `mpicc` as the user's choice, if any.

    Raises:
        MpippError: no MPI is seen in the program, none installed fits, or the choice does not.
    """
    if mpicc is None:
        program = inspect(program_name)
        try:
            return mpis.find(program.flavor, program.library, _say)
        except MpippError:
            kept = newest(program.flavor, program.library)
            if kept is None:
                raise
            _say(f"there is no MPI compiler here: the wrapper is that of {kept.name}")
            return kept
    mpi = mpis.probe(mpicc)
    try:
        program = inspect(program_name)
    except MpippError:
        return mpi  # the user knows better: it may load MPI later
    _check_flavor(program, mpi)
    return replace(mpi, library=program.library)


def _say(sentence: str) -> None:
    print(plain(f"mpipp: {sentence}"), file=sys.stderr)


def _check_flavor(program: Program, mpi: Mpi) -> None:
    if program.flavor is not mpi.flavor:
        raise MpippError(
            f"{program.path} uses {program.flavor.title} ({program.library}), but {mpi.mpicc} is "
            f"of {mpi.name}: name a compiler of {program.flavor.title} with --mpicc"
        )


def prefix(wrapper: str, variables: Mapping[str, str], watched: Sequence[str] = ()) -> list[str]:
    """The words before a program that load the wrapper into it, and into no other.

    They work with every launcher, and before programs with any name.

    Args:
        wrapper: its path.
        variables: what is added to the program's environment.
        watched: the run's directory and the watcher's settings; none if nobody watches.
    """
    directory, settings = watched or (launch.NOWHERE, "{}")
    words = [sys.executable, "-I", "-S", _START, directory, wrapper, settings]
    return [*words, *(f"{name}={value}" for name, value in variables.items()), launch.END]
