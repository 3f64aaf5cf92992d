// SPDX-License-Identifier: MIT
// Raw bytes of objects with containers, and the same with the elements ("fixed").
#include <mpi.h>

#include <cstring>
#include <new>
#include <string>
#include <vector>

struct Plain {
  int id;
  double x[3];
  char name[8];
};
struct Named {
  int id;
  std::string name;
};

int main(int argc, char **argv) {
  const bool is_fixed = argc > 1;
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Plain plain{rank, {}, ""};
  Named named{rank, "a name that does not fit into the object itself"};
  std::vector<int> numbers(3, rank);
  std::vector<Plain> many(4);
  char saved[sizeof named], bytes[sizeof numbers];
  MPI_Bcast(&plain, sizeof plain, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Bcast(many.data(), 4 * sizeof(Plain), MPI_BYTE, 0, MPI_COMM_WORLD);
  if (is_fixed) {
    MPI_Bcast(&named.id, sizeof named.id, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&named.name[0], 5, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(numbers.data(), 3 * sizeof(int), MPI_BYTE, 0, MPI_COMM_WORLD);
  } else {
    std::memcpy(saved, static_cast<void *>(&named), sizeof named);
    std::memcpy(bytes, static_cast<void *>(&numbers), sizeof numbers);
    MPI_Bcast(&named, sizeof named, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&numbers, sizeof numbers, MPI_BYTE, 0, MPI_COMM_WORLD);
    std::memcpy(static_cast<void *>(&named), saved, sizeof named);
    std::memcpy(static_cast<void *>(&numbers), bytes, sizeof numbers);
  }
  MPI_Finalize();
}
