# SPDX-License-Identifier: MIT
"""The commands that compile: `mpipp cc`, `mpipp c++`, `mpipp fortran`."""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """A language: the environment variables and names of its MPI compiler."""

    title: str
    variables: tuple[str, ...]
    names: tuple[str, ...]


LANGUAGES = {
    "cc": Language("C", ("MPICC",), ("mpicc",)),
    "c++": Language("C++", ("MPICXX",), ("mpicxx", "mpic++", "mpiCC")),
    "fortran": Language("Fortran", ("MPIFORT", "MPIFC", "MPIF90"), ("mpifort", "mpif90")),
}


def usage(command: str) -> str:
    """The usage of the command."""
    return f"mpipp {command} [--mpicc COMPILER] ARGUMENT..."


def description(command: str) -> str:
    """The summary of the command, for its help."""
    title = LANGUAGES[command].title
    return f"compile {title} so that --check=buffers,rma checks every load and store"
