// SPDX-License-Identifier: MIT
// One call receives into one array, then into another: test_nearby_calls.py.
#include <mpi.h>

int main(int argc, char **argv) {
  int numbers[2] = {1, 2}, got[2] = {0}, other[2] = {0};
  MPI_Init(&argc, &argv);
  for (int turn = 0; turn < 2; turn++) {
    MPI_Sendrecv(numbers, 2, MPI_INT, 0, 1, // exchange
                 turn ? other : got, 2, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    numbers[0] = turn + 1; // behind the exchange
  }
  MPI_Finalize();
  return 0;
}
