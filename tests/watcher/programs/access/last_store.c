// SPDX-License-Identifier: MIT
// A process stores to a pending buffer, and then ends in the way that the argument selects.
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 4096 };

static double faces[2][N];

static void end(const char *how) {
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "_exit") == 0) _exit(3);
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "crash") == 0) abort();
  MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Issend(faces[1], N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    faces[1][N / 2] = 1;
    end(argv[1]);
  }
  MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
