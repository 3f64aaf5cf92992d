// SPDX-License-Identifier: MIT
// A library that uses MPI, loaded by a program that does not: see host.c.
#include <mpi.h>
#include <stddef.h>

static double matrix[3][4];

__attribute__((noinline)) void mark(void) {
  __asm__ volatile("" ::: "memory");
}

int work(void) {
  int provided;
  MPI_Datatype vector;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  MPI_Request request;
  MPI_Irecv(matrix, 1, vector, 0, 3, MPI_COMM_SELF, &request);
  mark();
  MPI_Send(matrix[1], 6, MPI_DOUBLE, 0, 3, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&vector);
  MPI_Finalize();
  return 0;
}
