// SPDX-License-Identifier: MIT
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The rank in the second argument ends or forks in the way that the first argument names.
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == atoi(argv[2])) {
    if (!strcmp(argv[1], "crash")) *(volatile int *)16 = 1;
    if (!strcmp(argv[1], "abort")) MPI_Abort(MPI_COMM_WORLD, 5);
    if (!strcmp(argv[1], "leave")) _exit(7);
    if (!strcmp(argv[1], "spin"))
      for (volatile int turns = 0;; turns = !turns) {
      }
    if (!strcmp(argv[1], "fork") && !fork()) _exit(0);
    if (!strcmp(argv[1], "exec")) execl("/bin/sh", "sh", "-c", "exit 4", NULL);
    if (!strcmp(argv[1], "read")) {
      char line[80] = "";
      while (fgets(line, sizeof line, stdin)) printf("read %s", line);
      printf("end of input, then");
      fflush(stdout);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
