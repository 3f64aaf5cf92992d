// SPDX-License-Identifier: MIT
// Integers and addresses that MPI stores in variables of another type; "fixed": none.
#include <mpi.h>

#include <cstddef>

struct state {
  bool done;
  char others[15];
};

static void wrong() {
  state tested = {false, {0}};
  state probed = {false, {0}};
  std::size_t length = 0;
  struct {
    int value, others[3];
  } limit;
  int found, scratch[4];
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Test(&request, reinterpret_cast<int *>(&tested.done), MPI_STATUS_IGNORE);
  MPI_Iprobe(0, 0, MPI_COMM_SELF, reinterpret_cast<int *>(&probed.done), MPI_STATUS_IGNORE);
  MPI_Comm_size(MPI_COMM_SELF, reinterpret_cast<int *>(&length));
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit.value, &found);
  MPI_Type_get_extent(MPI_INT, reinterpret_cast<MPI_Aint *>(scratch),
                      reinterpret_cast<MPI_Aint *>(scratch + 2));
  double *block = new double[4]();
  MPI_Alloc_mem(8, MPI_INFO_NULL, block);
  delete[] block;
}

static void right() {
  int flag, found, sizes[2], *limit;
  void *any;
  double *memory;
  MPI_Aint bounds[2];
  char bytes[sizeof(int)];
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  MPI_Comm_size(MPI_COMM_SELF, &sizes[1]);
  MPI_Comm_rank(MPI_COMM_SELF, reinterpret_cast<int *>(bytes));
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &any, &found);
  MPI_Type_get_extent(MPI_INT, &bounds[0], &bounds[1]);
  MPI_Alloc_mem(8, MPI_INFO_NULL, &memory);
  MPI_Free_mem(memory);
  // A pointer to freed memory, which holds a pointer later.
  int *freed = new int[2];
  delete[] freed;
  double **block = new double *;
  MPI_Alloc_mem(8, MPI_INFO_NULL, block);
  MPI_Free_mem(*block);
  delete block;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1)
    right();
  else
    wrong();
  MPI_Finalize();
}
