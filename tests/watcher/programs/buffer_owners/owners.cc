// SPDX-License-Identifier: MIT
// C++ containers, and members, with fewer elements than the buffer; "fixed": with as
// many.
#include <mpi.h>

#include <cstring>
#include <string>
#include <vector>

struct Field {
  int steps = 0;
  std::vector<double> values;
  bool done = false;
};

static void send(std::vector<float> &values, int count) {
  MPI_Bcast(values.data(), count, MPI_FLOAT, 0, MPI_COMM_SELF); // a reference
}

int main(int argc, char **argv) {
  bool fixed = argc > 1 && !std::strcmp(argv[1], "fixed");
  MPI_Init(&argc, &argv);
  std::vector<int> reserved;
  reserved.reserve(10);
  if (fixed) reserved.resize(10);
  MPI_Bcast(reserved.data(), 10, MPI_INT, 0, MPI_COMM_SELF);
  std::vector<float> few(3);
  send(few, fixed ? 3 : 4);
  Field field;
  field.values.resize(6);
  MPI_Bcast(field.values.data(), fixed ? 6 : 7, MPI_DOUBLE, 0, MPI_COMM_SELF);
  std::vector<double> exact(6);
  MPI_Bcast(exact.data(), 6, fixed ? MPI_DOUBLE : MPI_LONG, 0, MPI_COMM_SELF); // type
  MPI_Bcast(&field.done, 1, fixed ? MPI_CXX_BOOL : MPI_INT, 0, MPI_COMM_SELF); // type
  double *raw = new double[4];
  MPI_Bcast(raw, fixed ? 4 : 40, MPI_DOUBLE, 0, MPI_COMM_SELF);
  delete[] raw;
  MPI_Finalize();
}
