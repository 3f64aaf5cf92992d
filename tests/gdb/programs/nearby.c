// SPDX-License-Identifier: MIT
// gdb stops in a loop whose calls have returned, or are made once more: test_nearby_calls.py.
#include <mpi.h>

int main(int argc, char **argv) {
  double u[3][4] = {{0}};
  int numbers[2] = {1, 2}, got[2] = {0}, counts[1] = {2}, starts[1] = {0};
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int turn = 0; turn < 2; turn++) {
    u[0][1] = turn;
    MPI_Sendrecv(numbers, 2, MPI_INT, 0, 1, // exchange
                 got, 2, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);

    numbers[0]++;                                     // behind the exchange
    MPI_Bcast(&u[0][1], 1, column, 0, MPI_COMM_SELF); // column
    if (numbers[0] > 0)
      MPI_Bcast(got, 2, MPI_INT, 0, MPI_COMM_SELF);
    else
      MPI_Barrier(MPI_COMM_SELF);
    numbers[1]++; // behind the choice
    numbers[1]--; // further
    MPI_Allgatherv(numbers, 2, MPI_INT, got, counts, starts, MPI_INT, MPI_COMM_SELF); // gather
    starts[0] = 0; // behind the gathering
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}
