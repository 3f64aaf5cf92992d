// SPDX-License-Identifier: MIT
// Integers of 8 bytes with a datatype of another size on other systems; "fixed": the right one.
#include <cstdint>
#include <cstring>
#include <mpi.h>
#include <vector>

int main(int argc, char **argv) {
  const bool is_fixed = argc > 1 && !std::strcmp(argv[1], "fixed");
  std::int64_t numbers[3] = {1, 2, 3};
  std::vector<std::int64_t> many(4);
  std::vector<long> others(4);
  MPI_Init(&argc, &argv);
  MPI_Bcast(numbers, 3, is_fixed ? MPI_INT64_T : MPI_LONG, 0, MPI_COMM_SELF);
  MPI_Bcast(many.data(), 4, MPI_INT64_T, 0, MPI_COMM_SELF); // debug information says long
  MPI_Bcast(others.data(), 4, MPI_LONG, 0, MPI_COMM_SELF);
  MPI_Finalize();
}
