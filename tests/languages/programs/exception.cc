// SPDX-License-Identifier: MIT
// An error handler that throws through MPI.
#include <mpi.h>
#include <stdexcept>

extern "C" __attribute__((noinline)) void mark() {
  __asm__ volatile("" ::: "memory");
}

static void fail(MPI_Comm *, int *, ...) {
  throw std::runtime_error("MPI");
}

static void send(MPI_Comm comm) {
  int value = 1;
  MPI_Send(&value, 1, MPI_INT, 99, 1, comm);
}

int main(int argc, char **argv) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Datatype made;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(fail, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  for (int i = 0; i < 3; i++) {
    try {
      send(comm);
    } catch (const std::runtime_error &) {
      mark();
    }
    MPI_Type_contiguous(3, MPI_INT, &made);
  }
  mark();
  MPI_Finalize();
  return 0;
}
