# SPDX-License-Identifier: MIT
"""The wrapper, built with the compiler's sanitizers."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from mpipp.toolchain import build_wrapper
from mpipp.toolchain import mpi_libraries as mpis
from tests import support

ADDRESS = "-fsanitize=address,undefined"
THREAD = "-fsanitize=thread"


@functools.cache
def wrapper(mpi_id: str, flag: str) -> Path:
    """A wrapper for an MPI, built with this flag."""
    mpi = mpis.probe(support.find_mpi(mpi_id).mpicc)
    # -O0 compiles five times as fast, and finds the same errors.
    flags = [flag, "-O0", "-fno-omit-frame-pointer"]
    name = "-".join([build_wrapper.library_path(mpi).parent.name, *re.findall(r"\w+", flag)[1:]])
    directory = support.BUILD / "sanitized" / name
    library = directory / f"libmpipp_{mpi.flavor.key}.so"
    directory.mkdir(parents=True, exist_ok=True)
    with support.locked(directory / "lock"):
        if not library.exists():
            build_wrapper.write_have(mpi, directory)
            work = directory / "new"
            work.mkdir(exist_ok=True)
            steps = build_wrapper.commands(mpi, directory, work / library.name, extra_flags=flags)
            for done in build_wrapper.run_all(steps.compile):
                assert done.returncode == 0, done.stderr
            for link in steps.link:
                assert build_wrapper.run_all([link])[0].returncode == 0
            # Move the recorder last: if it exists, the build is complete.
            for made in sorted(work.iterdir(), key=lambda path: path.name == library.name):
                made.rename(directory / made.name)
    return library


def runtime(name: str) -> str:
    """A sanitizer's library, to be preloaded before all others."""
    return support.library(f"lib{name}.so")
