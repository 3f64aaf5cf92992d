// SPDX-License-Identifier: MIT
// One process sends two integers and a double; the other receives a double and two integers.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank;
  char data[16];
  MPI_Datatype type;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype sent[] = {MPI_INT, MPI_INT, MPI_DOUBLE};
  MPI_Datatype received[] = {MPI_DOUBLE, MPI_INT, MPI_INT};
  MPI_Aint places[2][3] = {{0, 4, 8}, {0, 8, 12}};
  MPI_Type_create_struct(3, (int[]){1, 1, 1}, places[rank], rank ? received : sent, &type);
  MPI_Type_commit(&type);
  if (rank == 0)
    MPI_Isend(data, 1, type, 1, 0, MPI_COMM_WORLD, &request);
  else
    MPI_Irecv(data, 1, type, 0, 0, MPI_COMM_WORLD, &request);
  printf("%d %d\n", rank, (int)getpid());
  fflush(stdout);
  pause();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
