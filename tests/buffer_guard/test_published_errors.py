# SPDX-License-Identifier: MIT
"""Guarded runs find errors of real programs (the table of bug cases in the paper on SyncChecker).

Each is a small program with a correct twin. All of one MPI form one executable, in C, C++ and
Fortran. Without a Fortran layer, the Fortran code calls C procedures.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

PATTERNS = Path(__file__).resolve().parents[1] / "watcher" / "patterns"
C = ("main.c", "athena_r1086.c", "athena_r1090.c", "sort.c")
# For libraries without a Fortran layer: the kind of handles, and MPI_STATUS_IGNORE.
OF_C = {"mpich5": ("c_int", 1), "openmpi5": ("c_intptr_t", 0)}
FLAGS = ("-g", "-O0")


def built(mpi: MPI, directory: Path, cells: int = 65536) -> Path:
    """All programs as one executable, with `cells` numbers in a message."""
    fortran = mpi.mpifort
    options: tuple[str, ...] = ()
    assert mpi.mpicxx
    if mpi.id in OF_C:
        kind, ignore = OF_C[mpi.id]
        fortran, options = (
            support.need("gfortran"),
            (f"-DHANDLE={kind}", f"-DSTATUS_IGNORE={ignore}"),
        )
    assert fortran
    handles = "handles_of_c.F90" if mpi.id in OF_C else "handles.f90"
    sources = [
        (mpi.mpicc, C, ()),
        (mpi.mpicxx, ("boost_app.cc",), ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")),
    ]
    sources.append((fortran, (handles, "octopus_r1278.f90"), ("-cpp", *options)))
    for compiler, names, more in sources:
        command = [
            compiler,
            *FLAGS,
            f"-DCELLS={cells}",
            *more,
            "-c",
            *(str(PATTERNS / name) for name in names),
        ]
        compiled(command, mpi, directory)
    objects = sorted(path.name for path in directory.glob("*.o"))
    linking = [mpi.mpifort, "-lstdc++"] if mpi.mpifort else [mpi.mpicxx, "-lgfortran"]
    compiled([linking[0], *objects, linking[1], "-o", "patterns"], mpi, directory)
    return directory / "patterns"


def compiled(command: list[str], mpi: MPI, directory: Path) -> None:
    done = subprocess.run(
        command, cwd=directory, env=mpi.env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def found(verb: str, element: str, where: list[str], operation: str, known: list[str]) -> str:
    """A report, without its rule."""
    noun = {"stores to": "store to", "loads": "load from"}[verb]
    procedure = operation.partition("(")[0]
    at, *callers = [f"{place} in {function}" for place, function in map(str.split, where[:-1])]
    posted, function = where[-1].split()
    late = "" if NOT_MOVED in known else ", whose data had moved by the next MPI call"
    lines = [f"error: a {noun} the buffer of a pending {procedure}{late}"]
    lines += [f"  rank 0: {verb} {element}", f"    at {at}"]
    lines += [f"    from {caller}" for caller in [*callers, "main.c:LINE in main"]]
    lines += [f"  rank 0: {operation}, request #N", f"    called at {posted} in {function}"]
    return "\n".join([*lines, *known])


def call(procedure: str, peer: str, tag: int, buffer: str) -> str:
    arguments = f'{peer}, tag = {tag}, comm = "MPI_COMM_WORLD", buf = 0x... ({buffer})'
    return f"{procedure}({arguments})"


NOT_MOVED = "    at the next MPI call of the process the data had not moved"
NEVER = [NOT_MOVED, "    it was not completed before MPI_Finalize"]
TO_1, FROM_1 = "dest = 1", "source = 1"


def too_late(where: str) -> list[str]:
    place, function = where.split()
    came = "  rank 0: MPI_Wait, which completes it, came after"
    return [came, f"    called at {place} in {function}"]


DOUBLES, INTS = "65536 MPI_DOUBLE", "131072 MPI_INT"
FOUND = [
    found(
        "stores to",
        "buf(DOUBLE), at 0x..., in faces",
        [
            "athena_r1086.c:13 pack",
            "athena_r1086.c:34 athena_r1086",
            "athena_r1086.c:17 send_boundary",
        ],
        call("MPI_Isend", TO_1, 0, DOUBLES),
        NEVER,
    ),
    found(
        "loads",
        "buf(DOUBLE), at 0x..., in in",
        [
            "athena_r1090.c:11 unpack",
            "athena_r1090.c:35 athena_r1090",
            "athena_r1090.c:29 athena_r1090",
        ],
        call("MPI_Irecv", FROM_1, 0, DOUBLES),
        NEVER,
    ),
    found(
        "stores to",
        "buf(DOUBLE), at 0x..., in out",
        [
            "athena_r1090.c:15 pack",
            "athena_r1090.c:36 athena_r1090",
            "athena_r1090.c:30 athena_r1090",
        ],
        call("MPI_Isend", TO_1, 0, DOUBLES),
        NEVER,
    ),
    found(
        "stores to",
        "buf[N](DOUBLE), at 0x..., in psi+N",
        [
            "octopus_r1278.f90:18 evaluate",
            "octopus_r1278.f90:57 octopus_r1278",
            "octopus_r1278.f90:24 send_orbital",
        ],
        call("MPI_Isend", TO_1, 1, DOUBLES),
        NEVER,
    ),
    found(
        "stores to",
        "buf[N](DOUBLE), at 0x...",
        ["boost_app.cc:40 fill", "boost_app.cc:57 boost_app", "boost_app.cc:30 isend<double>"],
        call("MPI_Isend", TO_1, 8, DOUBLES),
        NEVER,
    ),
    found(
        "loads",
        "buf(INT), at 0x..., in theirs",
        ["sort.c:14 merge", "sort.c:34 sort", "sort.c:29 sort"],
        call("MPI_Irecv", FROM_1, 7, INTS),
        NEVER,
    ),
    found(
        "stores to",
        "buf(DOUBLE), at 0x..., in faces+N",
        [
            "athena_r1086.c:13 pack",
            "athena_r1086.c:50 athena_r1086_cc",
            "athena_r1086.c:17 send_boundary",
        ],
        call("MPI_Isend", TO_1, 1, DOUBLES),
        too_late("athena_r1086.c:51 athena_r1086_cc"),
    ),
    found(
        "stores to",
        "buf[N](DOUBLE), at 0x..., in psi+N",
        [
            "octopus_r1278.f90:18 evaluate",
            "octopus_r1278.f90:82 octopus_r1278_cc",
            "octopus_r1278.f90:24 send_orbital",
        ],
        call("MPI_Isend", TO_1, 2, DOUBLES),
        too_late("octopus_r1278.f90:83 octopus_r1278_cc"),
    ),
]


def alike(block: str) -> str:
    """A report without its rule, and without parts that vary between MPIs and runs."""
    told = block.partition("\n  rule: ")[0]
    told = re.sub(r"0x[0-9a-f]+", "0x...", told.replace("DOUBLE_PRECISION", "DOUBLE"))
    told = re.sub(r"main\.c:\d+", "main.c:LINE", re.sub(r"request #\d+", "request #N", told))
    return re.sub(r"buf\[\d+\]", "buf[N]", re.sub(r"(faces|psi)\+\d+", r"\1+N", told))


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_each_is_found_and_its_twin_is_silent(mpi: MPI, tmp_path: Path) -> None:
    program = built(mpi, tmp_path)
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    wrong = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert (wrong.status, wrong.output) == (0, "done\n")
    assert sorted(map(alike, wrong.blocks)) == sorted(FOUND)


# Messages that share pages with others, and are sent before they are received. Each case has the
# pending call, the change, and the next call that completes such an operation. Loads of small
# receive buffers are detected only in compiled programs.
SMALL = [
    ("athena_r1086.c:17 in send_boundary", "was 3 and is 4", "athena_r1086.c:51"),
    ("athena_r1090.c:30 in athena_r1090", "was 6 and is 7", "athena_r1086.c:51"),
    ("boost_app.cc:30 in isend<double>", "was 0 and is 1", "athena_r1086.c:51"),
    ("octopus_r1278.f90:24 in send_orbital", "was 1 and is 2", "athena_r1086.c:51"),
    ("octopus_r1278.f90:24 in send_orbital", "was 1 and is 2", "octopus_r1278.f90:83"),
]
CHANGED = re.compile(
    r"error: the buffer of a pending MPI_Isend was changed\n  rank 0: .*\n    called at (.*)\n"
    r"    buf\(.*\), at 0x[0-9a-f]+(?:, in \S+)?, (was .*)\n    mpipp does not know .*\n"
    r"  rank 0: MPI_Wait\(\)\n    called at (\S+) in "
)


@on_mpi("mpich4", "openmpi4")
def test_small_ones_are_found_by_comparison(mpi: MPI, tmp_path: Path) -> None:
    program = built(mpi, tmp_path, {"mpich4": 1, "openmpi4": 32}[mpi.id])
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    wrong = runs.run(mpi, [program, "wrong"], "--check=buffers")
    matches = [CHANGED.match(block) for block in wrong.blocks]
    assert sorted(one.groups() for one in matches if one) == SMALL
    assert wrong.status == 0
