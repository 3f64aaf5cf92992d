// SPDX-License-Identifier: MIT
// MPI in C++: handles whose type the compiler or a template deduced, and buffers in containers. The
// output of gdb is in test_cxx.py.
#include <mpi.h>

#include <array>
#include <map>
#include <vector>

static void mark() {}

struct Halo {
  MPI_Datatype row;
  MPI_Comm comm;
};

template <typename T> static void broadcast(T &values, const MPI_Datatype &type) {
  MPI_Bcast(values.data(), 1, type, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype row;
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  auto deduced = row;
  auto &alias = row;
  const auto *pointer = &row;
  std::vector<MPI_Datatype> types{row, MPI_INT};
  std::map<int, MPI_Datatype> named{{1, row}};
  std::array<MPI_Datatype, 2> pair{{row, MPI_CHAR}};
  std::vector<Halo> halos{{row, MPI_COMM_WORLD}};
  std::vector<double> values(12), empty;
  std::array<double, 12> fixed;
  for (int i = 0; i < 12; i++) values[i] = fixed[i] = i + 0.5;
  auto sum = [captured = row](int n) { return captured == MPI_DATATYPE_NULL ? 0 : n; };
  mark();
  broadcast(values, row);
  broadcast(fixed, types[0]);
  (void)deduced, (void)alias, (void)pointer, (void)sum;
  MPI_Finalize();
}
