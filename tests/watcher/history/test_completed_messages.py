# SPDX-License-Identifier: MIT
"""Findings about completed messages, for each way to receive them."""

from __future__ import annotations

import re
from pathlib import Path

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

TRUNCATED = """\
error: 8 elements sent, but only 6 received: the message is truncated (MPI_ERR_TRUNCATE)
  rank 0: MPI_{0}(dest = 1, tag = 0, {1} = 8 MPI_INT)
    called at completed_messages.c:LINE in {4}
    sends MPI_INT: {1}[6](INT)
  rank 1: MPI_{2}(source = 0, tag = 0, {3} = 6 MPI_INT)
    called at completed_messages.c:LINE in {4}
    message number 1
  rule: MPI-4.1, section 3.2.4: a message must not be longer than the receive buffer
  to do: pass a buffer for the largest message, or get the size with MPI_Probe and MPI_Get_count
  MUST: MUST_ERROR_TYPEMATCH_LENGTH"""
LONGER = """\
error: {0} elements sent, but only {1} received: the message is truncated (MPI_ERR_TRUNCATE)
  rank 0: MPI_Send(dest = 1, tag = {2}, buf = {0} MPI_INT)
    called at completed_messages.c:LINE in {3}
    sends MPI_INT: buf[{1}](INT)
  rank 1: MPI_Recv(source = 0, tag = {2}, buf = {1} MPI_INT)
    called at completed_messages.c:LINE in {3}
    message number {4}
  rule: MPI-4.1, section 3.2.4: a message must not be longer than the receive buffer
  to do: pass a buffer for the largest message, or get the size with MPI_Probe and MPI_Get_count
  MUST: MUST_ERROR_TYPEMATCH_LENGTH"""

OTHER_TYPE = """\
error: the types sent and received do not match, at the first element: MPI_FLOAT is sent, \
MPI_INT received
  rank 0: MPI_Send(dest = 1, tag = {0}, buf = {1} MPI_FLOAT)
    called at completed_messages.c:LINE in {2}
    sends MPI_FLOAT: buf(FLOAT)
  rank 1: MPI_Recv(source = 0, tag = {0}, buf = {1} MPI_INT)
    called at completed_messages.c:LINE in {2}
    receives MPI_INT: buf(INT)
    message number {3}
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""

ANY = """\
error: 1 element sent, but only 0 received: the message is truncated (MPI_ERR_TRUNCATE)
  rank 0: MPI_Isend(dest = 1, tag = 2, buf = 1 MPI_INT)
    called at completed_messages.c:LINE in any_message
    sends MPI_INT: buf(INT)
  rank 1: MPI_Irecv(source = 0, tag = 2, buf = 0 MPI_INT)
    called at completed_messages.c:LINE in post
    message number 518
  rule: MPI-4.1, section 3.2.4: a message must not be longer than the receive buffer
  to do: pass a buffer for the largest message, or get the size with MPI_Probe and MPI_Get_count
  MUST: MUST_ERROR_TYPEMATCH_LENGTH"""

PARTIAL = """\
error: the types sent and received do not match, after 1 element: MPI_FLOAT is sent, \
MPI_DOUBLE received
  rank 0: MPI_Send(dest = 1, tag = 0, buf = 1 STRUCT[3])
    called at completed_messages.c:LINE in partial
    sends MPI_FLOAT: buf(STRUCT)[1][0](FLOAT)
  rank 1: MPI_Recv(source = 0, tag = 0, buf = 4 STRUCT[2])
    called at completed_messages.c:LINE in partial
    receives MPI_DOUBLE: buf(STRUCT)[1][0](DOUBLE)
    message number 1
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""

# By function of ../programs/completed_messages.c.
FOUND = {
    "partial": PARTIAL,
    "probed_any": LONGER.format(8, 7, 0, "probed_any", 1).replace("MPI_Recv", "MPI_Imrecv"),
    "any_message": ANY,
    "one_too_long": LONGER.format(19, 18, 1, "random_messages", 661),
    "one_of_another_type": OTHER_TYPE.format(1, 18, "random_messages", 661),
    "many_tags": OTHER_TYPE.format(5500, 3, "many_tags", 1),
    "longer_buffers": LONGER.format(41, 40, 0, "longer_buffers", 2500),
    "truncated": TRUNCATED.format("Send", "buf", "Recv", "buf", "truncated"),
    "truncated_any": TRUNCATED.format("Send", "buf", "Recv", "buf", "truncated_any"),
    "truncated_exchange": TRUNCATED.format(
        "Sendrecv", "sendbuf", "Sendrecv", "recvbuf", "truncated_exchange"
    ),
    "truncated_wait": TRUNCATED.format("Isend", "buf", "Irecv", "buf", "truncated_wait"),
    "truncated_probed": TRUNCATED.format("Send", "buf", "Mrecv", "buf", "truncated_probed"),
}


def told(block: str) -> str:
    """The block without times and places."""
    block = re.sub(r"comm = (\{.*?\}|\"\S+\"), ", "", block)
    return re.sub(r"completed_messages\.c:\d+", "completed_messages.c:LINE", block)


@on_mpi("mpich4", "openmpi4")
def test_what_is_wrong(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("completed_messages.c", mpi), "wrong"])
    assert sorted(map(told, found.blocks)) == sorted(map(mpi.cited, FOUND.values()))
    assert found.last[0].startswith(f"mpipp: {len(FOUND)} errors in 2 processes (")


@on_mpi("mpich4", "openmpi4")
def test_what_is_right(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("completed_messages.c", mpi), "right"])
    assert found.blocks == []
    assert found.last[0].startswith("mpipp: no errors in 2 processes (")


@on_mpi("mpich4", "openmpi4")
def test_what_is_not_kept_is_said(mpi: MPI) -> None:
    command: list[str | Path] = [runs.program("completed_messages.c", mpi), "right", "one_too_long"]
    found = runs.run(mpi, command, MPIPP_LEDGER="1")
    said = sorted(found.last)[:-1]
    room = (
        "mpipp: not checked: rank {}: 3001 calls beyond the capacity of the call history (see "
        "MPIPP_LEDGER)"
    )
    assert (found.blocks, said) == ([], [room.format(0), room.format(1)])
    # These checks need no history.
    found = runs.run(mpi, command, "--check=arguments", MPIPP_LEDGER="1")
    assert (found.blocks, len(found.last)) == ([], 1), found.last


FULL = """\
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  const char *rank = getenv("PMI_RANK");
  if (!rank) rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank && *rank == '0' && setenv("MPIPP_LEDGER", "1", 0) == 0 && argc == 2) {
    char *again[] = {argv[0], argv[1], "full", NULL};
    execv(argv[0], again);
  }
  MPI_Init(&argc, &argv);
  MPI_File file;
  int value = 0;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
}
"""


@on_mpi("mpich4", "openmpi4")
def test_where_one_has_no_room_nothing_is_missing(mpi: MPI, tmp_path: Path) -> None:
    """Calls on a file that no longer fit into the history are not counted."""
    program = support.compile_program(FULL, mpi, ("-g",))
    found = runs.run(mpi, [program, tmp_path / "file"])
    assert (found.status, found.blocks) == (0, [])
    assert "beyond the capacity of the call history" in found.last[0]
