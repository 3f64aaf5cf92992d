# SPDX-License-Identifier: MIT
"""`mpipp wrapper`: builds the wrapper and prints its path."""

from __future__ import annotations

import argparse

from mpipp.toolchain import mpi_libraries
from mpipp.toolchain.preload import built


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp wrapper`."""
    parser.add_argument(
        "--mpicc",
        metavar="CC",
        help="build for the MPI library of this compiler (default: $MPICC, mpicc)",
    )
    parser.add_argument("--force", action="store_true", help="build the library again")


def run(arguments: argparse.Namespace) -> int:
    """Build the wrapper for one MPI and print the library's path."""
    chosen = mpi_libraries.probe(arguments.mpicc or mpi_libraries.default_mpicc())
    print(built(chosen, force=arguments.force))
    return 0
