// SPDX-License-Identifier: MIT
// A library between the wrapper and MPI. On request, a thread does not return from its next
// MPI_Wait or MPI_Win_flush until another thread releases it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

volatile int held_times; // number of holds
static volatile int released;
static __thread int holds;

void held_hold(void) {
  holds = 1;
}

void held_release(void) {
  released = held_times;
}

static int hold(int code) {
  if (!holds) return code;
  holds = 0;
  int time = ++held_times;
  while (released < time) continue;
  return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  int (*real)(MPI_Request *, MPI_Status *) =
      (int (*)(MPI_Request *, MPI_Status *))dlsym(RTLD_NEXT, "PMPI_Wait");
  return hold(real(request, status));
}

int MPI_Win_flush(int rank, MPI_Win win) {
  int (*real)(int, MPI_Win) = (int (*)(int, MPI_Win))dlsym(RTLD_NEXT, "PMPI_Win_flush");
  return hold(real(rank, win));
}
