// SPDX-License-Identifier: MIT
// Rank 1 throws an exception that no code catches.
#include <map>
#include <mpi.h>
#include <string>

static int limit(const std::map<std::string, int> &limits, const char *name) {
  int offset = 2;
  return limits.at(name) + offset;
}

int main(int argc, char **argv) {
  std::map<std::string, int> limits{{"rows", 4}};
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int found = limit(limits, rank == 1 ? "columns" : "rows");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return found - 6;
}
