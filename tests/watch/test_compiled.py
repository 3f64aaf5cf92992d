# SPDX-License-Identifier: MIT
"""Programs that mpipp has compiled: each access is told, whatever its size and place."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import runs
from support import MPI, need, on_mpi, shell

STORE = "a store to the buffer of a pending MPI_Issend: stores to "
STORE_RECEIVED = "a store to the buffer of a pending MPI_Irecv: stores to "
LOAD = "a load from the buffer of a pending MPI_Irecv: loads "
FOUND = [
    f"{STORE_RECEIVED}buf(INT) in stores_int",
    f"{LOAD}buf(INT) in loads_int",
    f"{STORE}buf(INT) in stores_int",
    f"{STORE}buf(BYTE) in stores_byte",
    f"{STORE}buf[23](BYTE) in stores_byte",
    f"{STORE}buf(BYTE) in straddles",
    f"{STORE_RECEIVED}buf(VECTOR)[3][0](DOUBLE) in stores_double",
    f"{STORE}buf[2](DOUBLE) in stores_vector",
    f"{STORE}buf[7](DOUBLE) in adds_atomically",
    f"{STORE}buf(DOUBLE) in copies",
    f"{STORE}buf(DOUBLE) in copies_struct",
    f"{LOAD}buf(DOUBLE) in loops",
    f"{STORE}buf[1](DOUBLE) in stores_there",
]
OUTPUT = "7 4.94066e-324\n"


def compiled(mpi: MPI, where: Path, command: str, name: str, *flags: str, with_: str = "") -> Path:
    """A program, compiled by `mpipp COMMAND`; with Clang, or what the MPI compiler calls else."""
    known = {key: mpi.env[key] for key in ("LD_LIBRARY_PATH",) if key in mpi.env}
    language = {"cc": "CC", "c++": "CXX"}.get(command, "FC")
    chosen = {f"MPICH_{language}": with_, f"OMPI_{language}": with_} if with_ else {}
    compiler = {"cc": mpi.mpicc, "c++": mpi.mpicxx}.get(command, mpi.mpifort)
    words: list[str | Path] = [
        command,
        "--mpicc",
        str(compiler),
        "-g",
        *flags,
        runs.PROGRAMS / name,
    ]
    program = where / f"{Path(name).stem}-{with_ or 'gcc'}"
    done = shell(*words, "-o", program, env={**known, **chosen})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return program


def told(block: str) -> str:
    """What a report says, without what differs: what was done to which element, and where."""
    headline, access, at, *_ = block.splitlines()
    what = re.sub(r" at 0x.*", "", access.removeprefix("  rank 0: ")).rstrip(",")
    function = re.sub(r"    at \S+:\d+ ", "", at)
    return f"{headline.removeprefix('error: ')}: {what} {function}"


@on_mpi("mpich4", "openmpi4")
def test_each_access_is_told_and_what_is_right_is_as_without(mpi: MPI, tmp_path: Path) -> None:
    with_ = Path(need("clang")).name if mpi.id == "openmpi4" else ""
    program = compiled(mpi, tmp_path, "cc", "compiled.c", "-O2", "-pthread", with_=with_)
    run = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert ([told(block) for block in run.blocks], run.status) == (FOUND, 0)
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, OUTPUT, [])
    assert re.fullmatch(r"mpipp: no errors in 2 processes, [\d,]+ calls", right.last[-1])
    alone = mpi.run([program], n=2, preload=False)
    assert (alone.returncode, alone.stdout) == (0, OUTPUT)


def test_what_is_not_possible_is_a_sentence(tmp_path: Path) -> None:
    def said(*words: str) -> str:
        done = shell(*words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        return done.stderr

    mpicc = need("mpicc.mpich")
    assert said("cc") == "mpipp: nothing to compile: see mpipp cc --help\n"
    assert said("cc", "--mpicc", "/no/mpicc", "a.c") == (
        "mpipp: there is no compiler /no/mpicc: name one with --mpicc\n"
    )
    assert said("cc", "--mpicc", mpicc, "-fsanitize=address", "a.c") == (
        "mpipp: -fsanitize=address does not go together with mpipp cc, which uses the compiler's "
        "instrumentation itself: leave it out\n"
    )
    assert said("cc", "--mpicc", need("python3"), "a.c").endswith(
        "which is neither of GCC nor Clang: name another with --mpicc\n"
    )


def test_a_compilers_own_words_go_through(tmp_path: Path) -> None:
    mpicc = need("mpicc.mpich")
    alone = subprocess.run([mpicc, "--version"], capture_output=True, text=True, check=True)
    done = shell("cc", "--mpicc", mpicc, "--version")
    assert (done.returncode, done.stdout) == (0, alone.stdout)
    (tmp_path / "wrong.c").write_text("int main(void) { return nothing; }\n")
    done = shell("cc", "--mpicc", mpicc, "-c", "wrong.c", cwd=tmp_path)
    assert done.returncode == 1 and "nothing" in done.stderr


FOUND_CXX = [
    f"{STORE}buf(BYTE) in stores_wide",
    f"{STORE}buf(BYTE) in stores_long",
    f"{STORE}buf(BYTE) in compare_exchange_strong",
    f"{STORE}buf(BYTE) in fills",
    f"{STORE}buf(BYTE) in operator()",
]


@pytest.mark.parametrize("with_", ["", "clang++"])
@on_mpi("openmpi4")
def test_programs_in_cxx(mpi: MPI, with_: str, tmp_path: Path) -> None:
    if with_:
        need(with_)
    program = compiled(mpi, tmp_path, "c++", "compiled.cc", "-O2", "-pthread", with_=with_)
    run = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert (run.status, [told(block) for block in run.blocks]) == (0, FOUND_CXX)
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.output, right.blocks) == ("4 2.5 5 1.5 x\n", [])
    assert mpi.run([program], n=2, preload=False).stdout == right.output


FOUND_FORTRAN = [
    f"{STORE}buf(DOUBLE_PRECISION) in {name}" for name in ("stores", "in_section", "copies")
]


@on_mpi("mpich4")
def test_programs_in_fortran(mpi: MPI, tmp_path: Path) -> None:
    program = compiled(mpi, tmp_path, "fortran", "compiled.f90", "-O2")
    run = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert (run.status, [told(block) for block in run.blocks]) == (0, FOUND_FORTRAN)
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.output.split()[14], right.blocks) == ("3.5", [])
    assert mpi.run([program], n=2, preload=False).stdout == right.output
