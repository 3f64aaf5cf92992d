# SPDX-License-Identifier: MIT
"""`mpipp wrapper`: prints the path of the wrapper for one MPI, and builds it if needed."""

from __future__ import annotations

import argparse

from mpipp.toolchain import mpi_libraries
from mpipp.toolchain.preload import built, mpi_for, with_wrapper


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `mpipp wrapper`."""
    parser.add_argument(
        "program",
        nargs="?",
        metavar="PROGRAM",
        help="print the wrapper for the MPI library that this program loads",
    )
    parser.add_argument(
        "--mpicc", metavar="CC", help="choose the MPI by its compiler (default: $MPICC, mpicc)"
    )
    parser.add_argument(
        "--build",
        action="store_true",
        help="build the wrapper from its source, with the MPI compiler; runs with the same --mpicc "
        "then use it",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the path of the library for one MPI.

    Raises:
        MpippError: there is no MPI compiler or no such program, or the wrapper does not compile.
    """
    if arguments.program and not arguments.build:
        print(built(mpi_for(arguments.program, arguments.mpicc)))
        return 0
    chosen = mpi_libraries.probe(arguments.mpicc or mpi_libraries.default_mpicc())
    print(built(chosen if arguments.build else with_wrapper(chosen), force=arguments.build))
    return 0
