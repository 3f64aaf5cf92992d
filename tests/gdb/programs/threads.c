// SPDX-License-Identifier: MIT
// Two threads, each inside a call of its own; main() prints "ready" once both are.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int first[2] = {1, 2}, second[3] = {3, 4, 5};

static void *receive(void *argument) {
  MPI_Recv(second, 3, MPI_INT, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return argument;
}

static void *announce(void *argument) {
  sleep(1);
  puts("ready");
  fflush(stdout);
  return argument;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_t receiver, announcer;
  pthread_create(&receiver, NULL, receive, NULL);
  pthread_create(&announcer, NULL, announce, NULL);
  MPI_Recv(first, 2, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return 0;
}
