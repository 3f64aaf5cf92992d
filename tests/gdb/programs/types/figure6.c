// SPDX-License-Identifier: MIT
// The program of test_ddd.py: a datatype and a buffer of it, stopped in MPI_Bcast.
#include <mpi.h>
#include <stddef.h>

static struct record {
  int numbers[5];
  char text[8];
  double unused, values[2];
} record = {{1, 2, 3, 4, 5}, "abcdefg", 0, {1.5, 2.5}};

static void make(MPI_Datatype *type) {
  int lengths[3] = {5, 7, 2};
  MPI_Aint offsets[3] = {0, offsetof(struct record, text), offsetof(struct record, values)};
  MPI_Datatype types[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  MPI_Type_create_struct(3, lengths, offsets, types, type);
  MPI_Type_commit(type);
}

int main(int argc, char **argv) {
  void *buffer = &record;
  MPI_Datatype type;
  MPI_Init(&argc, &argv);
  make(&type);
  MPI_Bcast(buffer, 1, type, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
