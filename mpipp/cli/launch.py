# SPDX-License-Identifier: MIT
"""What `mpipp run` and `mpipp gdb` share: which wrapper fits a program, and how to preload it."""

from __future__ import annotations

import os
import sys

from mpipp.cli import mpi as mpis
from mpipp.cli.build import build
from mpipp.cli.mpi import Mpi
from mpipp.cli.program import Program, inspect
from mpipp.errors import MpippError


def built(mpi: Mpi, *, force: bool = False) -> str:
    """The path of the wrapper for `mpi`, which is built now if need be, with progress on stderr."""
    return str(build(mpi, force=force, progress=_Progress()))


class _Progress:
    # "mpipp: " comes once, before the first piece of text.
    def __init__(self) -> None:
        self.prefix = "mpipp: "

    def __call__(self, text: str) -> None:
        sys.stderr.write(self.prefix + text)
        sys.stderr.flush()
        self.prefix = ""


def mpi_for(program_name: str, mpicc: str | None) -> Mpi:
    """The MPI whose wrapper fits the program, with `mpicc` as the user's choice, if any.

    Raises:
        MpippError: no MPI is seen in the program, none installed fits, or the choice does not.
    """
    if mpicc is None:
        program = inspect(program_name)
        return mpis.find(program.flavor, program.library, _say)
    mpi = mpis.probe(mpicc)
    try:
        program = inspect(program_name)
    except MpippError:
        return mpi  # the user knows better: it may load MPI later
    _check_flavor(program, mpi)
    return mpi


def _say(sentence: str) -> None:
    print(f"mpipp: {sentence}", file=sys.stderr)


def _check_flavor(program: Program, mpi: Mpi) -> None:
    if program.flavor is not mpi.flavor:
        raise MpippError(
            f"{program.path} uses {program.flavor.title} ({program.library}), but {mpi.mpicc} is "
            f"of {mpi.name}: name a compiler of {program.flavor.title} with --mpicc"
        )


def preload(library: str) -> list[str]:
    """The words of a command prefix that loads `library` into the program after it, and only there.

    What the environment preloads already stays, after the wrapper.
    """
    before = os.environ.get("LD_PRELOAD")
    return ["env", f"LD_PRELOAD={library}:{before}" if before else f"LD_PRELOAD={library}"]
