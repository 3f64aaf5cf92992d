// SPDX-License-Identifier: MIT
// Two processes wait for each other, in a library's header. Before, they print their process ids.
// With two arguments, each has a thread that may still call MPI.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "library/include/exchange.h"

static void *stay(void *given) {
  pause();
  return given;
}

int main(int argc, char **argv) {
  int rank, number = 0, provided;
  pthread_t thread;
  MPI_Status status;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (argc > 2) pthread_create(&thread, NULL, stay, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%d %d\n", rank, (int)getpid());
  fflush(stdout);
  if (argc > 1) MPI_Recv(&number, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &status);
  exchange(1 - rank, &number);
  MPI_Finalize();
  return 0;
}
