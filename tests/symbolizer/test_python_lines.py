# SPDX-License-Identifier: MIT
"""A watched program in Python: findings name its lines, not mpi4py's module."""

from __future__ import annotations

from pathlib import Path

from tests.support import MPI, on_mpi
from tests.watcher import runs

SCRIPT = """\
import os, sys, threading
from mpi4py import MPI
from mpi4py.util import pkl5

comm = MPI.COMM_WORLD
peer = 1 - comm.rank

def exchange(datatype):
    if comm.rank == 0:
        comm.Send([bytearray(8), 1, datatype], peer, 3)
    else:
        comm.Recv([bytearray(8), 2, datatype], peer, 3)

class Maker:
    def make(self): return MPI.DOUBLE.Create_vector(3, 2, 4)

exchange(MPI.INT if comm.rank == 0 else MPI.FLOAT)
kept = [Maker().make() for _ in range(3)]
kept.append(pkl5.Intracomm(comm).Dup())  # Python of mpi4py's own
thread = threading.Thread(target=lambda: kept.append(comm.Get_group()))
thread.start()
thread.join()
buffer = bytearray(8)
first = comm.Irecv(buffer, peer, 5)
second = comm.Irecv(buffer, peer, 6)
for tag in (5, 6): comm.Send(bytearray(8), peer, tag)
MPI.Request.Waitall([first, second])
if comm.rank == 1:
    comm.Probe(0, 9)
    if len(sys.argv) > 1: os.kill(os.getpid(), 9)
    comm.recv(source=0, tag=9)
else:
    comm.ssend("x", peer, 9)
"""
DIED = """\
remark: a process has been ended by SIGKILL
  rank 1: not in MPI; its last call was MPI_Probe
    called at main.py:29 in <module>
    meanwhile rank 0: MPI_Ssend(dest 1, tag 9), called at main.py:33 in <module>
"""


def places(block: str) -> list[str]:
    """The first line, and the lines with places."""
    return [line for line in block.splitlines() if line[0] != " " or " at main.py" in line]


@on_mpi("mpich4", "openmpi4")
def test_findings_name_lines_of_python(mpi: MPI, tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text(SCRIPT)
    found = runs.run(mpi, [mpi.python, script])
    told = sorted(places(block) for block in found.blocks)
    assert [lines[1:] for lines in told] == [
        ["    called at main.py:25 in <module>", "    called at main.py:24 in <module>"],
        ["    called at main.py:10 in exchange", "    called at main.py:12 in exchange"],
        ["    made at main.py:19 in <module>"],
        ["    made at main.py:20 in <lambda>"],
        ["    made at main.py:15 in make"],
    ]
    assert [lines[0].partition(",")[0].replace("_c ", " ") for lines in told] == [
        "error: MPI_Irecv and MPI_Irecv write the same memory",
        "error: the types sent and received do not match",
        "warning: 1 communicator is not freed",
        "warning: 1 group is not freed",
        "warning: 3 datatypes are not freed",
    ]


@on_mpi("openmpi4")
def test_a_process_dies_at_a_line_of_python(mpi: MPI, tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text(SCRIPT)
    found = runs.run(mpi, [mpi.python, script, "kill"])
    assert any(block.startswith(DIED) for block in found.blocks), found.blocks
