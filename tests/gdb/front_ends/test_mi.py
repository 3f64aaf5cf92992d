# SPDX-License-Identifier: MIT
"""The machine interface for front ends: handles and buffers are trees that can be expanded."""

from __future__ import annotations

from tests import mi as machine_interface
from tests import support

CONVERSATION = (
    ("-var-create v * s_type", '^done,name="v",numchild="0",value="{'),
    (
        "-var-list-children --all-values v",
        'children=[child={name="v.kind",exp="kind",numchild="0",value="STRUCT"',
    ),
    ("-var-list-children --all-values v.entries", 'displayhint="array"'),
    (
        "-var-list-children --all-values v.entries.[0]",
        'exp="offset",numchild="0",value="0",type="long long"',
    ),
    ("-var-create m * matrix", '^done,name="m",numchild="0",value="{'),
    ("-var-list-children --all-values m 1 2", 'exp="call",numchild="0",value="\\"MPI_Irecv\\""'),
    ("-var-list-children --all-values m", 'exp="data"'),
    ("-var-list-children --all-values m.data", 'numchild="3"'),
    ("-var-list-children --all-values m.data.[1]", 'value="4.5"'),
    ("-var-create r * request", '^done,name="r",numchild="0",value="{'),
    ("-var-list-children --all-values r", 'exp="state",numchild="0",value="active"'),
    ("-var-create w * world", '^done,name="w",numchild="0",value="{'),
    ("-var-list-children --all-values w", 'exp="name",numchild="0",value="\\"MPI_COMM_WORLD'),
    ("-var-create n * list[1]", '^done,name="n",numchild="0",value="MPI_INT"'),
    ("-var-update --all-values *", "^done,changelist=[]"),
    ("-data-evaluate-expression vec", 'value="{kind = VECTOR, count = 3, '),
)

LONG = """\
#include <mpi.h>
enum { N = 1000000 };
struct pair { double real; char text[4]; };
static struct pair room[N], *pairs = room;
void mark(void) {}
int main(int argc, char **argv) {
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_CHAR}, pair;
  MPI_Aint offsets[2] = {0, sizeof(double)};
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Type_create_struct(2, (int[]){1, 4}, offsets, types, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < N; i++) pairs[i] = (struct pair){i + 0.5, "abcd"};
  MPI_Irecv(pairs, N, pair, 0, 0, MPI_COMM_SELF, &request);
  mark();
  pairs[500001].real = -1;
  mark();
  return 0;
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_trees(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "commands.c"), mpi)
    words = [*support.gdb_words(mpi), str(program)]
    with machine_interface.stopped(words, "mark", mpi.env) as gdb:
        for typed, expected in CONVERSATION:
            answer = gdb.ask(typed)
            assert expected in answer, f"{typed}\n{expected}\n{answer}"


@support.on_mpi("mpich4", "openmpi4")
def test_long_arrays_are_divided(mpi: support.MPI) -> None:
    program = support.compile_program(LONG, mpi)
    million, hundred = "[500000 .. 509999]", "[500000 .. 500099]"
    words = [*support.gdb_words(mpi), str(program)]
    with machine_interface.stopped(words, "mark", mpi.env) as gdb:
        gdb.ask("-var-create m * pairs")
        assert "data" in gdb.values("m")
        assert gdb.values("m.data", 50, 51) == {million: "{...}"}
        assert gdb.values(f"m.data.{million}", 0, 1) == {hundred: "{...}"}
        items = gdb.values(f"m.data.{million}.{hundred}")
        assert list(items) == [f"[{i}]" for i in range(500000, 500100)]
        item = f"m.data.{million}.{hundred}.[500001]"
        assert gdb.values(item) == {"b0": "500001.5", "b1": '"abcd"'}
        assert len(gdb.values("m.data")) == 100
        # Open variables are updated while the program runs.
        gdb.run("-exec-continue")
        gdb.ask("-stack-select-frame 1")
        changes = gdb.ask("-var-update --all-values *")
        assert f'{{name="{item}.b0",value="-1",' in changes
        assert ".b1" not in changes
        # Printed arrays are not divided into slices.
        printed = gdb.ask('-interpreter-exec console "output pairs[0]@3"')
        assert "data = {{b0 = 0.5, b1 = " in printed and " .. " not in printed, printed
