// SPDX-License-Identifier: MIT
// A program changes the buffer of a put too early, and loads memory while another process puts
// there; with an argument, both are correct. Two processes. Rank 1 prints the values that were put,
// and that it loaded.
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {
enum { N = 16 };

__attribute__((noinline)) void set(std::vector<double> &of, int at, double value) {
  of[at] = value;
}

__attribute__((noinline)) double element(const std::vector<double> &of, int at) {
  return of[at];
}
} // namespace

int main(int argc, char **argv) {
  const bool right = argc > 1;
  int rank;
  double found = 0;
  MPI_Win win;
  std::vector<double> memory(N, 0), mine(N, 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory.data(), N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &win);
  MPI_Win_fence(0, win);
  if (right && rank == 1) found = element(memory, 4);
  if (right) MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(mine.data(), N, MPI_DOUBLE, 1, 0, N, MPI_DOUBLE, win);
  if (!right && rank == 1) found = element(memory, 4);
  if (right) MPI_Win_fence(0, win);
  if (rank == 0) set(mine, 2, 5);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 1) std::printf("%.1f %.1f\n", memory[2], found);
  MPI_Win_free(&win);
  MPI_Finalize();
}
