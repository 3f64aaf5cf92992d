// SPDX-License-Identifier: MIT
// Makes the error that its argument names, and then waits until another process reads a pipe.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void message(void) {
  float four[4] = {0};
  int ints[4] = {0};
  if (rank == 0)
    MPI_Send(four, 4, MPI_FLOAT, 1, 3, MPI_COMM_WORLD);
  else
    MPI_Recv(ints, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collective(void) {
  float one = 0;
  int other = 0;
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  if (rank == 0)
    MPI_Bcast(&one, 1, MPI_FLOAT, 0, copy);
  else
    MPI_Bcast(&other, 1, MPI_INT, 0, copy);
  MPI_Comm_free(&copy);
}

// The pattern has exceptions, so that runs of calls begin and end while the watcher reads.
static void loop(void) {
  char data[64] = {0};
  double end = MPI_Wtime() + 3;
  for (int i = 0, stop = 0; !stop; i++) {
    int count = i % 7 ? 1 : i % 11;
    stop = MPI_Wtime() > end;
    MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int n = 0; n < 500; n++) {
      MPI_Sendrecv(data, count + n % 13, MPI_CHAR, !rank, n % 3, data + 32, count + n % 13,
                   MPI_CHAR, !rank, n % 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "message") == 0) message();
    if (strcmp(argv[i], "collective") == 0) collective();
    if (strcmp(argv[i], "loop") == 0) loop();
  }
  if (rank == 0) fclose(fopen(argv[1], "r"));
  MPI_Finalize();
  return 0;
}
