# SPDX-License-Identifier: MIT
"""Common code of tests: the MPI builds, compiled programs, and real gdb sessions.

All builds go to build/tests, with names from their contents, so that later runs and parallel
workers reuse them. Tests import all names from here.
"""

from tests.support.commands import LONGEST, end, finished, running, shell, wait_until
from tests.support.environment import (
    BUILD,
    CACHE,
    MEASURED,
    ROOT,
    WITHOUT_DISPLAYS,
    another_user,
    clean_environment,
    lacking,
    library,
    locked,
    need,
    shared_directory,
    short_directory,
)
from tests.support.gdb_sessions import (
    PRINTERS,
    gdb_batch,
    gdb_batches,
    gdb_version,
    gdb_words,
    make_core,
    symbols,
)
from tests.support.mpi_builds import (
    INTEL,
    MACHINE,
    MPI,
    MPI_IDS,
    WHEELS,
    each_handle,
    every_fortran,
    every_mpi,
    find_mpi,
    installed,
    older_mpi4py,
    on_mpi,
    oracle_pythons,
    repeated,
)
from tests.support.programs import compile_program, program_source
from tests.support.report_text import with_short_points, without_points, without_variables

__all__ = (
    "BUILD",
    "CACHE",
    "INTEL",
    "LONGEST",
    "MACHINE",
    "MEASURED",
    "MPI",
    "MPI_IDS",
    "PRINTERS",
    "ROOT",
    "WHEELS",
    "WITHOUT_DISPLAYS",
    "another_user",
    "clean_environment",
    "compile_program",
    "each_handle",
    "end",
    "every_fortran",
    "every_mpi",
    "find_mpi",
    "finished",
    "gdb_batch",
    "gdb_batches",
    "gdb_version",
    "gdb_words",
    "installed",
    "lacking",
    "library",
    "locked",
    "make_core",
    "need",
    "older_mpi4py",
    "on_mpi",
    "oracle_pythons",
    "program_source",
    "repeated",
    "running",
    "shared_directory",
    "shell",
    "short_directory",
    "symbols",
    "wait_until",
    "with_short_points",
    "without_points",
    "without_variables",
)
