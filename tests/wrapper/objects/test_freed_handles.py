# SPDX-License-Identifier: MIT
"""The wrapper never passes a handle to MPI that is recorded as freed.

Between the wrapper and MPI lies a library (programs/lazy_free_tool.c) that reports such calls.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import support
from tests.wrapper.watched import compiled

ASKED = "asked about a freed handle: "

MODES = {
    "check": ["--check"],
    "handler": ["--check", "--on-error=handler"],
    "strict": ["--check", "--strict"],
    "buffers": ["--check=all,buffers", "--budget", "100000"],
    "rma": ["--check=all,rma", "--rma-loads", "--budget", "100000"],
    "provoke": ["--provoke=1"],
    "provoke-rma": ["--provoke=rma,1"],
}


def program(mpi: support.MPI) -> Path:
    """freed_handles.c, linked with the tool before MPI."""
    tool = compiled("lazy_free_tool.c", mpi.id, "-shared", "-fPIC")
    return compiled("freed_handles.c", mpi.id, "-Wl,--no-as-needed", str(tool))


def asked(mpi: support.MPI, said: str) -> list[str]:
    """The procedures that the wrapper called with freed handles, each once."""
    lines = (line.partition(ASKED) for line in said.splitlines())
    procedures = sorted({procedure for _, found, procedure in lines if found})
    if not mpi.id.startswith("openmpi"):
        return procedures
    # In Open MPI the memory of a datatype shows whether it exists, and the library frees none.
    return [name for name in procedures if not name.startswith("Type_")]


@support.every_mpi
def test_nothing_is_asked(mpi: support.MPI, tmp_path: Path) -> None:
    done = mpi.run([program(mpi), tmp_path / "file"], n=2)
    assert done.stdout == "done\n", done.stderr
    assert asked(mpi, done.stderr) == []


@support.each_handle
@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_asked_by_hooks(mpi: support.MPI, mode: str, tmp_path: Path) -> None:
    words = ["run", *MODES[mode], "--mpiexec", " ".join(mpi.mpiexec), "-n", "2", "--"]
    done = support.shell(*words, program(mpi), tmp_path / "file", env=mpi.env)
    assert "done\n" in done.stdout, done.stderr
    assert asked(mpi, done.stderr) == []
