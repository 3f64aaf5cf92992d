// SPDX-License-Identifier: MIT
// The destructor of a static object crashes after MPI_Finalize; "fixed": it has nothing to do.
#include <cstring>
#include <mpi.h>

struct Table {
  volatile int *first = nullptr;
  bool is_open = true;
  ~Table() {
    if (is_open) *first = 0;
  }
};

static Table table;

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  table.is_open = argc < 2 || std::strcmp(argv[1], "fixed") != 0;
  MPI_Finalize();
  return 0;
}
