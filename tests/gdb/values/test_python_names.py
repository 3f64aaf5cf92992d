# SPDX-License-Identifier: MIT
"""`mpipp py NAME`: Python variables by name, with the gdb support of Debian's Python."""

from __future__ import annotations

from pathlib import Path

from tests import support

SCRIPT = """\
import os, signal
from mpi4py import MPI
def work():
    column = MPI.DOUBLE.Create_vector(3, 2, 4).Commit()
    world = MPI.COMM_WORLD
    os.kill(os.getpid(), signal.SIGUSR1)
work()
"""
PYTHON = Path("/usr/bin/python3")
GDB_SUPPORT = Path("/usr/share/gdb/auto-load/usr/bin")


def test_variables_of_the_python_frame(tmp_path: Path) -> None:
    if not list(GDB_SUPPORT.glob("python3*-gdb.py")):
        support.lacking("Python's gdb support is not installed: install python3-dbg")
    if not list(Path("/usr/lib/python3/dist-packages/mpi4py").glob("MPI.*")):
        support.lacking("Debian's mpi4py is not installed: install python3-mpi4py")
    (tmp_path / "script.py").write_text(SCRIPT)
    stop = ["set debug-file-directory /usr/lib/debug", f"file {PYTHON.resolve()}"]
    stop += ["set print thread-events off", "handle SIGUSR1 stop nopass", "run script.py", "py-up"]
    output = support.gdb_batch(
        [
            "mpipp py column[1][0]",
            "mpipp py world",
            "mpipp py nosuch",
        ],
        mpi=support.find_mpi("openmpi4"),
        stop=stop,
        cwd=tmp_path,
    )
    assert output == (
        "column(VECTOR)[1][0](DOUBLE)\n"
        "  type          MPI_DOUBLE\n"
        "  size          8 bytes\n"
        "  displacement  32 bytes\n"
        "  packed        16 bytes\n"
        "world = {\n"
        '  name = "MPI_COMM_WORLD",\n'
        "  rank = 0,\n"
        "  size = 1,\n"
        '  errhandler = "MPI_ERRORS_RETURN"\n'
        "}\n"
        "There is no Python variable nosuch in the selected frame.\n"
    )
