// SPDX-License-Identifier: MIT
// A freed buffer belongs to two operations, which is an error. The next owner of the memory uses it
// correctly, before the first operation is complete, after that, and after the second.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 8192 };

static void use(double *data) {
  int file = open("/dev/zero", O_RDONLY);
  for (int i = 0; i < N; i++) data[i] = 1;
  if (read(file, data, N * sizeof *data) != N * (long)sizeof *data) perror("read");
  close(file);
}

static void send(void) {
  double *data = malloc(N * sizeof *data), *behind = malloc(N);
  MPI_Request requests[2];
  memset(data, 0, N * sizeof *data);
  for (int i = 0; i < 2; i++) MPI_Issend(data, N, MPI_DOUBLE, 1, i, MPI_COMM_WORLD, &requests[i]);
  free(data);
  double *next = malloc(N * sizeof *next);
  if (next != data) printf("it is elsewhere\n");
  use(next);
  MPI_Send(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  use(next);
  MPI_Send(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  use(next);
  free(next);
  free(behind);
}

static void receive(void) {
  static double data[N];
  for (int i = 0; i < 2; i++) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(data, N, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    send();
  else
    receive();
  MPI_Finalize();
  return 0;
}
