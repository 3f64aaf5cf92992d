# SPDX-License-Identifier: MIT
"""The Debug Adapter Protocol: variables are trees, and only open parts are read."""

from __future__ import annotations

import pytest

from tests import support
from tests.dap import client

pytestmark = pytest.mark.skipif(
    support.gdb_version() < (14,), reason="gdb speaks DAP from version 14 on"
)
every = pytest.mark.parametrize("mpi", support.MPI_IDS, indirect=True)

LONG = """\
#include <mpi.h>
enum { N = 1000000 };
struct pair { double real; char text[4]; };
static struct pair room[N];
void mark(void) {}
int main(int argc, char **argv) {
  struct pair *pairs = room;
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_CHAR}, pair;
  MPI_Aint offsets[2] = {0, sizeof(double)};
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Type_create_struct(2, (int[]){1, 4}, offsets, types, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < N; i++) pairs[i] = (struct pair){i + 0.5, "abcd"};
  MPI_Irecv(pairs, N, pair, 0, 0, MPI_COMM_SELF, &request);
  mark();
  return 0;
}
"""


def values(variables: dict[str, client.Body]) -> dict[str, str]:
    return {name: variable["value"] for name, variable in variables.items()}


@every
def test_trees(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "commands.c"), mpi)
    with client.stopped(support.gdb_words(mpi), str(program), "mark", mpi.env) as (gdb, variables):
        s_type = variables["s_type"]
        assert s_type["value"] == "STRUCT[3]"
        members = gdb.variables(s_type["variablesReference"])
        assert values(members) == {"kind": "STRUCT", "count": "3", "entries": "{...}"}
        entries = members["entries"]
        assert entries["indexedVariables"] == 3
        (second,) = gdb.variables(entries["variablesReference"], 1, 1).values()
        assert second["name"] == "[1]"
        assert values(gdb.variables(second["variablesReference"])) == {
            "blocklength": "7",
            "offset": "20",
            "type": "MPI_CHAR",
        }
        assert variables["list"]["indexedVariables"] == 2
        assert variables["request"]["value"] == "MPI_Irecv[active]"
        assert variables["world"]["value"] == "MPI_COMM_WORLD"
        assert variables["gone"]["value"] == "DUP"
        assert variables["freed"]["value"] == "MPI_DATATYPE_NULL"
        assert variables["matrix"]["value"].endswith(" (MPI_Irecv)")


@every
def test_long_array(mpi: support.MPI) -> None:
    program = support.compile_program(LONG, mpi)
    with client.stopped(support.gdb_words(mpi), str(program), "mark", mpi.env) as (gdb, variables):
        members = gdb.variables(variables["pairs"]["variablesReference"])
        data = members["data"]
        assert data["indexedVariables"] == 1000000
        middle = gdb.variables(data["variablesReference"], 500000, 10)
        assert list(middle) == [f"[{i}]" for i in range(500000, 500010)]
        item = gdb.variables(middle["[500001]"]["variablesReference"])
        assert values(item) == {"b0": "500001.5", "b1": '"abcd"'}
