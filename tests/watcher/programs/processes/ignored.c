// SPDX-License-Identifier: MIT
// Prints whether the program was started with signals ignored.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct sigaction pipe, limit;
  sigaction(SIGPIPE, NULL, &pipe);
  sigaction(SIGXFSZ, NULL, &limit);
  printf("%d %d\n", pipe.sa_handler == SIG_IGN, limit.sa_handler == SIG_IGN);
  MPI_Finalize();
  return 0;
}
