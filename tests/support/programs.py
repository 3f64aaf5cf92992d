# SPDX-License-Identifier: MIT
"""Test programs: their sources, and compiling them once."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support.environment import BUILD, ROOT, lacking, locked
from tests.support.mpi_builds import MPI


def program_source(folder: str, name: str) -> Path:
    """The file or folder `name` of tests/FOLDER/programs, in any folder there."""
    (path,) = (ROOT / "tests" / folder / "programs").rglob(name)
    return path


def compile_program(source: Path | str, mpi: MPI, flags: Sequence[str] = ("-g", "-O0")) -> Path:
    """Compile one source file for `mpi`, once; returns the program.

    Args:
        source: a .c, .cc or .f90 file, or the text of a C program.
    """
    if isinstance(source, str):
        source = _written(source)
    compilers = {".c": mpi.mpicc, ".cc": mpi.mpicxx, ".f90": mpi.mpifort}
    compiler = compilers[source.suffix] or lacking(f"{mpi.id} has no compiler for {source.name}")
    command = [compiler, *flags, str(source)]
    digest = hashlib.sha256("\0".join(command).encode())
    folder = next((one for one in source.parents if one.name == "programs"), source.parent)
    files = sorted([source, *folder.rglob("*.h"), *(ROOT / "wrapper").rglob("*.h")])
    for file in files:
        digest.update(file.read_bytes())
    program = BUILD / "programs" / f"{source.stem}-{mpi.id}-{digest.hexdigest()[:10]}"
    program.parent.mkdir(parents=True, exist_ok=True)
    # A new checkout makes the sources newer than a cached program, and gdb warns about that.
    newest = max(file.stat().st_mtime for file in files)
    if program.exists() and program.stat().st_mtime >= newest:
        return program
    with locked(program.with_suffix(".lock")):
        if program.exists():
            # Do not touch a program that another worker has just built: its core would be older.
            if program.stat().st_mtime < newest:
                program.touch()
        else:
            with tempfile.TemporaryDirectory(dir=program.parent) as work:
                output = Path(work) / "program"
                done = subprocess.run(
                    [*command, "-o", str(output)],
                    env=mpi.env,
                    cwd=work,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, done.stderr
                output.rename(program)
    return program


def _written(text: str) -> Path:
    # Write the text into a directory of its own, so that the compiler finds no other headers there.
    directory = BUILD / "sources" / hashlib.sha256(text.encode()).hexdigest()[:10]
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "main.c"
    with locked(directory / "lock"):
        if not path.exists():
            path.write_text(text)
    return path
