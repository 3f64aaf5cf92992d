# SPDX-License-Identifier: MIT
"""Pair types from MPI_Type_get_value_index, with and without a name."""

from __future__ import annotations

import pytest

from tests import support

PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
static MPI_Datatype pair, named, none, twice;
static void mark(void) {}
static void refused(MPI_Comm *comm, int *code, ...) { mark(); }
int main(void) {
  struct { double value; MPI_Count index; } in[2] = {{1.5, 3}, {2.5, 4}}, out[2];
  MPI_Init(NULL, NULL);
#ifdef UNSEEN
  pair = ((MPI_Datatype(*)(void))dlsym(RTLD_DEFAULT, "unnamed_pair"))();
  MPI_Sendrecv(in, 2, pair, 0, 1, out, 2, pair, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
#else
  for (int i = 0; i < 2; i++) MPI_Type_get_value_index(MPI_DOUBLE, MPI_COUNT, &pair);
#endif
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &named);
  MPI_Type_get_value_index(MPI_CHAR, MPI_INT, &none);
  MPI_Type_contiguous(2, pair, &twice);
  mark();
#ifdef REDUCE
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(refused, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Allreduce(in, out, 2, pair, MPI_MAXLOC, MPI_COMM_SELF);
#endif
  return 0;
}
"""
PAIR = '{kind = VALUE_INDEX, value_type = "MPI_DOUBLE", index_type = "MPI_COUNT"}'


@support.on_mpi("mpich5", "abi5")
@pytest.mark.parametrize("unseen", [False, True])
def test_pairs(mpi: support.MPI, unseen: bool) -> None:
    # No MPI library creates unnamed pair types yet. The library `pairs`, loaded before MPI, does.
    pairs = support.compile_program(
        support.program_source("wrapper", "unnamed_pairs.c"), mpi, ["-g", "-shared", "-fPIC"]
    )
    flags = ["-g", "-O0", "-ldl", *(["-DUNSEEN"] if unseen else [])]
    program = support.compile_program(PROGRAM, mpi, flags)
    stop = [f"set exec-wrapper env LD_PRELOAD={mpi.wrapper}:{pairs}", "break mark", "run", "up"]
    shown = ["output pair", "output named", "output none", "output twice"]
    look = [word for one in shown for word in (one, "echo \\n")]
    look += ["mpipp pair", "mpipp pair &in 2", "mpipp check"]
    output = support.gdb_batch(look, program=program, mpi=mpi, stop=stop)
    assert output.splitlines() == [
        PAIR,
        "MPI_DOUBLE_INT",
        "MPI_DATATYPE_NULL",
        f'{{kind = CONTIGUOUS, count = 2, type = {PAIR}, state = "not committed"}}',
        "                          size  lb  extent  true lb  true extent",
        "VALUE_INDEX                 16   0      16        0           16",
        "  value at 0, MPI_DOUBLE     8   0       8        0            8",
        "  index at 8, MPI_COUNT      8   0       8        0            8",
        "{{value = 1.5, index = 3}, {value = 2.5, index = 4}}",
        "no findings in 1 process, 0 active calls, 0 pending requests",
    ]


@support.on_mpi("mpich5")
def test_pairs_are_reduced(mpi: support.MPI) -> None:
    pairs = support.compile_program(
        support.program_source("wrapper", "unnamed_pairs.c"), mpi, ["-g", "-shared", "-fPIC"]
    )
    program = support.compile_program(PROGRAM, mpi, ["-g", "-O0", "-ldl", "-DREDUCE"])
    # This library rejects them. The call is active while its error handler runs.
    stop = [
        f"set exec-wrapper env LD_PRELOAD={mpi.wrapper}:{pairs}",
        "break mark",
        "run",
        "continue",
    ]
    output = support.gdb_batch(["mpipp check"], program=program, mpi=mpi, stop=stop)
    assert output == "no findings in 1 process, 1 active call, 0 pending requests\n"
