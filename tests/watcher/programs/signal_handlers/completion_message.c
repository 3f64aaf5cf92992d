// SPDX-License-Identifier: MIT
// The program frees the request of a receive. A later message shows that the receive is complete.
// Another thread calls MPI, too. Two processes.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { TIMES = 20000 };

static volatile int is_over;

static void *ask(void *nothing) {
  for (int flag; !is_over;) MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  return nothing;
}

static int receive(int i) {
  MPI_Request request;
  int got = -1;
  MPI_Irecv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Send(&i, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return got == i;
}

int main(int argc, char **argv) {
  int provided, rank, right = 0;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) pthread_create(&thread, NULL, ask, NULL);
  for (int i = 0; i < TIMES; i++) {
    if (rank == 0) {
      right += receive(i);
    } else {
      int value;
      MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
  }
  is_over = 1;
  if (rank == 0) {
    pthread_join(thread, NULL);
    printf("%d right\n", right);
  }
  MPI_Finalize();
  return 0;
}
