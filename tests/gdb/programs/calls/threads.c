// SPDX-License-Identifier: MIT
// Two threads print "ready" before each enters its own MPI call.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int first[2] = {1, 2}, second[3] = {3, 4, 5};

static void *receive(void *argument) {
  MPI_Recv(second, 3, MPI_INT, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return argument;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  fputs("ready\n", stdout);
  fflush(stdout);
  pthread_t receiver;
  pthread_create(&receiver, NULL, receive, NULL);
  MPI_Recv(first, 2, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return 0;
}
