# SPDX-License-Identifier: MIT
"""Programs and libraries to preload, for the tests of faults."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests import support

PROGRAMS = Path(__file__).with_name("programs")


def program(name: str, mpi: support.MPI, *flags: str) -> Path:
    """The compiled programs/NAME, with threads."""
    words = ["-g", "-O0", "-Wall", "-Wno-stringop-overflow", *flags, "-pthread"]
    return support.compile_program(PROGRAMS / name, mpi, words)


def library(name: str, mpi: support.MPI, *flags: str) -> Path:
    """programs/NAME as a library. It is linked with MPI only if it refers to MPI."""
    headers = f"-I{support.ROOT / 'wrapper'}"
    return program(name, mpi, headers, "-shared", "-fPIC", "-Wl,--as-needed", *flags)


def run(
    command: Sequence[str | Path],
    mpi: support.MPI,
    *preload: str | Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 200,
) -> subprocess.CompletedProcess[str]:
    """Run one process without mpiexec, with these libraries preloaded in their order."""
    return subprocess.run(
        ["env", f"LD_PRELOAD={' '.join(map(str, preload))}", *map(str, command)],
        env={**mpi.env, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@functools.cache
def families_says(mpi_id: str, directory: Path) -> str:
    """The output of families.c without mpipp."""
    mpi = support.find_mpi(mpi_id)
    done = run([program("families.c", mpi), directory], mpi)
    assert done.returncode == 3, done.stderr
    assert done.stdout.endswith("MPI_File_close(&file): class 0\n")
    return done.stdout
