# SPDX-License-Identifier: MIT
"""The commands that compile: `mpipp cc`, `mpipp c++`, `mpipp fortran`."""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """What a command compiles: where its MPI compiler is named, and which there are on PATH."""

    title: str
    variables: tuple[str, ...]
    names: tuple[str, ...]


LANGUAGES = {
    "cc": Language("C", ("MPICC",), ("mpicc",)),
    "c++": Language("C++", ("MPICXX",), ("mpicxx", "mpic++", "mpiCC")),
    "fortran": Language("Fortran", ("MPIFORT", "MPIFC", "MPIF90"), ("mpifort", "mpif90")),
}


def usage(command: str) -> str:
    """How the command is called."""
    return f"mpipp {command} [--mpicc COMPILER] ARGUMENT..."


def description(command: str) -> str:
    """What the command does, for its help."""
    return (
        f"compile {LANGUAGES[command].title} so that runs with --check=buffers, or with "
        "--check=rma, see every load and store of the program"
    )
