// SPDX-License-Identifier: MIT
// A library between the wrapper and MPI: a thread that asks for it does not return from MPI_Wait
// before another lets it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

volatile int held_is_held;
static volatile int released;
static __thread int holds;

void held_hold(void) {
  holds = 1;
}

void held_release(void) {
  released = 1;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  int (*real)(MPI_Request *, MPI_Status *) =
      (int (*)(MPI_Request *, MPI_Status *))dlsym(RTLD_NEXT, "PMPI_Wait");
  int code = real(request, status);
  if (!holds) return code;
  held_is_held = 1;
  while (!released) continue;
  return code;
}
