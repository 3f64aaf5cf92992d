// SPDX-License-Identifier: MIT
// Ranks 0 and 1 wait for the others. Rank 2 computes forever, and rank 3 sleeps.
#include <mpi.h>
#include <unistd.h>

#define OWN __attribute__((noinline))

static volatile int is_done, steps;

OWN static void compute(void) {
  while (!is_done) steps++;
}

OWN static void rest(void) {
  while (!is_done) pause();
  steps++;
}

OWN static void meet(MPI_Comm comm) {
  MPI_Barrier(comm);
  steps++;
}

OWN static void step(int rank) {
  volatile char row[1000];
  row[0] = row[999] = (char)rank;
  if (rank < 2) meet(MPI_COMM_WORLD);
  if (rank == 2) compute();
  if (rank == 3) rest();
  steps += row[0];
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  step(rank);
  MPI_Finalize();
}
