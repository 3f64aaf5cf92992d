// SPDX-License-Identifier: MIT
// Another tool at the profiling interface: counts calls, and prints the counts at the end.
#include <mpi.h>
#include <stdio.h>

static int vectors, commits, sends, inside, deepest;

static int entered(int *count) {
  ++*count;
  if (++inside > deepest) deepest = inside;
  return inside;
}

int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype old, MPI_Datatype *made) {
  entered(&vectors);
  int code = PMPI_Type_vector(count, blocklength, stride, old, made);
  inside--;
  return code;
}

int MPI_Type_commit(MPI_Datatype *datatype) {
  entered(&commits);
  int code = PMPI_Type_commit(datatype);
  inside--;
  return code;
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  int rank; // a tool may call MPI_X from within
  MPI_Comm_rank(comm, &rank);
  entered(&sends);
  int code = PMPI_Send(buf, count, datatype, dest, tag, comm);
  inside--;
  return code;
}

int MPI_Finalize(void) {
  fprintf(stderr, "%d vectors, %d commits, %d sends, depth %d\n", vectors, commits, sends, deepest);
  return PMPI_Finalize();
}

#ifdef TOOL_MAIN
__attribute__((noinline)) static void mark(void) {
  __asm__ volatile("" ::: "memory");
}

int main(void) {
  MPI_Datatype vector;
  MPI_Init(NULL, NULL);
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  mark();
  MPI_Finalize();
  return 0;
}
#endif
