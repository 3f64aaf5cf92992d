# SPDX-License-Identifier: MIT
"""`--check` guards buffers, and logs one-sided communication if the program uses windows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support import MPI, ROOT, compile_program, on_mpi
from tests.watcher import runs

EXAMPLES = {
    "mailbox.c": (
        3,
        "MPI_Put and MPI_Get write and read the same memory: the second may start before the first "
        "completes at its target",
    ),
    "blocks.c": (2, "a store to the buffer of a pending MPI_Isend"),
}


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
@pytest.mark.parametrize("example", EXAMPLES)
def test_races_are_found_without_naming_their_check(mpi: MPI, example: str) -> None:
    n, what = EXAMPLES[example]
    program = compile_program(ROOT / "examples" / example, mpi)
    (block,) = runs.run(mpi, [program, "early"], "--check", n=n).blocks
    assert block.split("\n")[0] == f"error: {what}"
    assert runs.run(mpi, [program], "--check", n=n).blocks == []


@on_mpi("mpich4", "openmpi4")
def test_the_fast_checks_leave_them_out(mpi: MPI) -> None:
    for example, (n, _) in EXAMPLES.items():
        program = compile_program(ROOT / "examples" / example, mpi)
        assert runs.run(mpi, [program, "early"], "--check=fast", n=n).blocks == []


# Programs, and whether they may use windows. A program without MPI calls may load a library that
# has some.
REFERENCES = {
    "windows.c": ("#include <mpi.h>", "MPI_Win win; MPI_Win_free(&win)", 1),
    "messages.c": ("#include <mpi.h>", "MPI_Finalize()", 0),
    "none.c": ("", "", 1),
}


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_a_log_is_kept_if_the_program_refers_to_windows(mpi: MPI, tmp_path: Path) -> None:
    source = ROOT / "wrapper" / "rma_log" / "window_references.c"
    for name, (head, calls, expected) in REFERENCES.items():
        (tmp_path / name).write_text(
            f'{head}\n#include "rma_log/window_references.h"\nint main(int n, char **words) {{\n'
            f"  (void)words;\n  if (n > 1) {{ {calls}; }}\n"
            "  return mpipp_rma_program_may_use_windows();\n}\n"
        )
        flags = ("-w", f"-I{ROOT / 'wrapper'}", str(source))
        program = compile_program(tmp_path / name, mpi, flags)
        assert subprocess.run([program], env=mpi.env, check=False).returncode == expected, name


@on_mpi("mpich4", "openmpi4")
def test_names_of_fortran_refer_to_windows(mpi: MPI, tmp_path: Path) -> None:
    source = ROOT / "wrapper" / "rma_log" / "window_references.c"
    for call, expected in (("MPI_Win_free(win, ierr)", 1), ("MPI_Finalize(ierr)", 0)):
        program = tmp_path / f"refers{expected}"
        (tmp_path / "refers.f90").write_text(
            "program refers\n  use mpi\n  use, intrinsic :: iso_c_binding\n  integer :: win, ierr\n"
            "  interface\n    function may_use() bind(C, name='mpipp_rma_program_may_use_windows'"
            ")\n"
            "      import :: c_int\n      integer(c_int) :: may_use\n    end function\n"
            f"  end interface\n  if (command_argument_count() > 0) call {call}\n"
            "  if (may_use() == 1) stop 1\nend program\n"
        )
        assert mpi.mpifort
        head = [f"-I{ROOT / 'wrapper'}", "-w"]
        made = tmp_path / "references.o"
        subprocess.run([mpi.mpicc, "-c", *head, str(source), "-o", str(made)], check=True)
        words = [mpi.mpifort, "-w", str(tmp_path / "refers.f90"), str(made), "-o", str(program)]
        subprocess.run(words, check=True, cwd=tmp_path)
        assert subprocess.run([program], env=mpi.env, check=False).returncode == expected, call
