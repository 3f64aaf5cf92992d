// SPDX-License-Identifier: MIT
// Rank 0 sends a record while both processes compute; rank 1 expects the record's members in
// another order. docs/howto/check-now.md shows the report of `mpipp check`.
#include <mpi.h>
#include <stdio.h>

static double compute(double value) {
  for (long step = 0; step < 40000000000; step++) value = value * 0.999 + 0.001;
  return value;
}

int main(int argc, char **argv) {
  struct {
    int count;
    double value;
  } sent = {1, 0.5};
  struct {
    double value;
    int count;
  } received = {0, 0};
  int rank, lengths[] = {1, 1};
  MPI_Aint displacements[] = {0, 8};
  MPI_Datatype of_sent[] = {MPI_INT, MPI_DOUBLE}, of_received[] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype record;
  MPI_Request request;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_create_struct(2, lengths, displacements, rank ? of_received : of_sent, &record);
  MPI_Type_commit(&record);
  if (rank == 0)
    MPI_Isend(&sent, 1, record, 1, 0, MPI_COMM_WORLD, &request);
  else
    MPI_Irecv(&received, 1, record, 0, 0, MPI_COMM_WORLD, &request);
  double value = compute(rank);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("rank %d: %d %g %g\n", rank, received.count, received.value, value);
  MPI_Type_free(&record);
  MPI_Finalize();
}
