// SPDX-License-Identifier: MIT
// Handles in C++. A comment that begins with a dollar says what gdb prints at mark().
#include <mpi.h>

#include <map>
#include <vector>

#include "../mark.h"

struct Halo {
  MPI_Datatype row;
  MPI_Comm comm = MPI_COMM_WORLD;
};

static void look_at(const MPI_Datatype &reference, MPI_Datatype &&moved, const Halo &halo) {
  // $reference: {kind = CONTIGUOUS, count = 3, type = "MPI_INT"}
  // $moved: MPI_INT
  // $halo.row: {kind = CONTIGUOUS, count = 3, type = "MPI_INT"}
  // $halo.comm: {name = "MPI_COMM_WORLD", rank = 0, size = 1}
  mark();
  (void)reference, (void)moved, (void)halo;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype row;
  MPI_Type_contiguous(3, MPI_INT, &row);
  MPI_Type_commit(&row);
  // $[openmpi4,openmpi5,abi5] list: std::vector of length 2, capacity 2 = {{kind = CONTIGUOUS, count = 3, type = "MPI_INT"}, MPI_INT}
  std::vector<MPI_Datatype> list{row, MPI_INT};
  // $[openmpi4,openmpi5,abi5] named: std::map with 1 element = {[1] = {kind = CONTIGUOUS, count = 3, type = "MPI_INT"}}
  std::map<int, MPI_Datatype> named{{1, row}};
  // $[openmpi4,openmpi5,abi5] deduced: {kind = CONTIGUOUS, count = 3, type = "MPI_INT"}
  auto deduced = row;
  // $same: {kind = CONTIGUOUS, count = 3, type = "MPI_INT"}
  decltype(row) same = row;
  look_at(row, MPI_Datatype(MPI_INT), Halo{row});
  (void)deduced, (void)same;
  MPI_Finalize();
}
