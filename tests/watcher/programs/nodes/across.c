// SPDX-License-Identifier: MIT
// Waits forever, or dies: processes wait for others on another node.
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

// Rank 1 dies by a signal when all other ranks are inside calls, which they cannot leave before
// rank 1 has received.
static void die(int rank, int size) {
  int value = 0;
  if (rank != 1) MPI_Ssend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) {
    if (i != 1) MPI_Probe(i, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  raise(SIGKILL);
}

int main(int argc, char **argv) {
  const char *how = argv[1];
  int rank, size, value = 0;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  if (strcmp(how, "ring") == 0) { // each process waits for the one before it
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, last, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  int far = strcmp(how, "far") == 0;
  if (strcmp(how, "pairs") == 0 || (far && rank % 2 == 0)) { // of one node, or of two
    MPI_Irecv(&value, 1, MPI_INT, rank ^ (far ? 2 : 1), 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  if (strcmp(how, "refused") == 0 && !MPI_Barrier(MPI_COMM_WORLD) && rank == 2) { // MPI ends it
    MPI_Info info;
    MPI_Info_create(&info);
    sleep(2); // the others reach the next call
    MPI_Info_delete(info, "none");
  }
  if (strcmp(how, "slow") == 0 && rank == 2) sleep(3); // the others wait for it
  if (strcmp(how, "die") == 0) die(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
