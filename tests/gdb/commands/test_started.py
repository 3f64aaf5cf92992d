# SPDX-License-Identifier: MIT
"""The place where a persistent operation was started, in lists of requests, calls and messages."""

from __future__ import annotations

import json
import re

from tests import support

PROGRAM = """\
#include <mpi.h>
static void start(MPI_Request *requests) {
  MPI_Startall(1, requests);
}
int main(int argc, char **argv) {
  int sent = 1, received;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Recv_init(&received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
  start(requests);
  MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Finalize();
  return 0;
}
"""
STARTED = "started by MPI_Startall at main.c:3 in start"


@support.each_handle
def test_lists(mpi: support.MPI) -> None:
    program = support.compile_program(PROGRAM, mpi)
    lists = ["requests", "requests --json", "calls", "messages", "messages --json"]
    printed = support.gdb_batch(
        [f"mpipp list {one}" for one in lists],
        program=program,
        mpi=mpi,
        stop=["mpipp break MPI_Waitall", "run > /dev/null"],
    )
    requests, _, rest = printed.partition("{")
    # An inactive operation was started elsewhere before, or never.
    places = re.findall(r"made at .*", requests)
    assert places == [f"made at main.c:9 in main, {STARTED}", "made at main.c:10 in main"]
    documents = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    of_requests, of_messages = documents
    assert [one["started"] for one in of_requests["objects"]] == [
        {"procedure": "MPI_Startall", "where": ["main.c:3 in start"]},
        None,
    ]
    assert f"made at main.c:9 in main, {STARTED}\n1 call\n" in rest
    assert f"MPI_Recv_init, 1 MPI_INT, called at main.c:9 in main, {STARTED}\n" in rest
    calls = {
        one["procedure"]: one
        for channel in of_messages["channels"]
        for stretch in channel["stretches"]
        for one in stretch["calls"]
    }
    assert calls["MPI_Recv_init"]["called"] == "main.c:9 in main"
    assert calls["MPI_Recv_init"]["started"] == {
        "procedure": "MPI_Startall",
        "where": ["main.c:3 in start"],
    }
    assert calls["MPI_Send"]["started"] is None
