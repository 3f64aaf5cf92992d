# SPDX-License-Identifier: MIT
"""Watched programs that use only sessions: their ranks are those in mpi://WORLD."""

from __future__ import annotations

import os
import signal

import pytest

from tests.support import MPI, ROOT, compile_program, on_mpi
from tests.watcher import runs

WRONG = {
    "message": """\
error: the types sent and received do not match, at the first element: MPI_INT is sent, \
MPI_FLOAT received
  rank 0: MPI_Send(dest = 1, tag = 3, comm = {rank = 0, size = 2, state = "freed"}, \
buf = 1 MPI_INT)
    called at session_messages.c:22 in main
    sends MPI_INT: buf(INT)
  rank 1: MPI_Recv(source = 0, tag = 3, comm = {rank = 1, size = 2, state = "freed"}, \
buf = 1 MPI_FLOAT)
    called at session_messages.c:24 in main
    receives MPI_FLOAT: buf(FLOAT)
    message number 1
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH""",
    "root": """\
error: the processes pass different roots: 0 and 1
  rank 0: MPI_Bcast(root = 0, comm = {rank = 0, size = 2, state = "freed"}, buffer = 1 MPI_INT)
    called at session_messages.c:26 in main
  rank 1: MPI_Bcast(root = 1, comm = {rank = 1, size = 2, state = "freed"}, buffer = 1 MPI_INT)
    called at session_messages.c:26 in main
    collective call number 1
  rule: MPI-4.1, section 6.2: the argument root must be the same in all processes
  to do: pass the same root in all processes
  MUST: MUST_ERROR_COLLECTIVE_ROOT_MISMATCH""",
}
HANGS = """\
error: deadlock: rank 0 and rank 1 wait for each other
  rank 0 waits in MPI_Comm_create_from_group(stringtag "outer"), called at \
sessions.c:24 in stringtag
    rank 1 has not called it with this group and stringtag
    near miss, another stringtag: rank 1 has called it with stringtag "inner"
  rank 1 waits in MPI_Comm_create_from_group(stringtag "inner"), called at \
sessions.c:24 in stringtag
    rank 0 has not called it with this group and stringtag
    near miss, another stringtag: rank 0 has called it with stringtag "outer\""""


@on_mpi("mpich4", "mpich5", "openmpi5", "abi5")
def test_what_is_right(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("session_messages.c", mpi)])
    assert found == (0, "", [], ["mpipp: no errors in 2 processes (44 MPI calls checked)"])


@on_mpi("mpich5", "openmpi5")
def test_nothing_is_asked_of_what_is_right(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("session_calls.c", mpi)])
    assert found == (0, "", [], ["mpipp: no errors in 2 processes (40 MPI calls checked)"])


NULL = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    if (*argv[1] == 's')
        MPI_Group_from_session_pset(MPI_SESSION_NULL, "mpi://SELF", &group);
    if (*argv[1] == 'g')
        MPI_Comm_create_from_group(group, "a", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    if (*argv[1] == 'l')
        MPI_Intercomm_create_from_groups(group, 0, group, 0, "b", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                         &comm);
    return 0;
}
"""


@on_mpi("mpich5", "openmpi5")
@pytest.mark.parametrize("name", ["session", "group", "local_group"])
def test_null_handles_are_asked_about(mpi: MPI, name: str) -> None:
    """Null handles are queried before MPI gets them, because some libraries crash on them."""
    noun = name.rpartition("_")[2]
    found = runs.run(mpi, [compile_program(NULL, mpi, ("-g", "-O0", "-w")), name], n=1)
    lines = [block.splitlines()[0] for block in found.blocks]
    assert f"error: {name} is MPI_{noun.upper()}_NULL, but a {noun} is needed" in lines


@on_mpi("mpich5", "openmpi5")
@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong(mpi: MPI, wrong: str) -> None:
    found = runs.run(mpi, [runs.program("session_messages.c", mpi), wrong])
    assert found.blocks == [mpi.cited(WRONG[wrong])]
    assert found.last[-1].startswith("mpipp: 1 error in 2 processes (")


@on_mpi("mpich5", "openmpi5")
def test_what_hangs(mpi: MPI) -> None:
    source = ROOT / "tests" / "analysis" / "deadlock" / "programs" / "sessions.c"
    program = compile_program(source, mpi, ("-g", "-O0", "-ldl"))
    words = [*runs.words(mpi, "--hang-after", "1"), str(program), "stringtag"]
    run = runs.started(words, mpi)
    said = runs.until(run, "near miss", 2)
    os.killpg(run.pid, signal.SIGINT)  # like Ctrl-C
    runs.ended(run)
    assert said[said.index("error: ") :].rstrip("\n") == HANGS
