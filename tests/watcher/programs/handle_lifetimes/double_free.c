// SPDX-License-Identifier: MIT
// The program frees an object through a copy of its handle, and again; "fixed": once.
#include <mpi.h>
#include <string.h>

static void free_comm(int is_fixed) {
  MPI_Comm comm, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  copy = comm;
  MPI_Comm_free(&copy);
  if (!is_fixed) MPI_Comm_free(&comm);
}

static void free_type(int is_fixed) {
  MPI_Datatype type, copy;
  MPI_Type_contiguous(2, MPI_INT, &type);
  copy = type;
  MPI_Type_free(&copy);
  if (!is_fixed) MPI_Type_free(&type);
}

static void free_op(int is_fixed) {
  MPI_Op op, copy;
  MPI_Op_create((MPI_User_function *)0x10000, 1, &op);
  copy = op;
  MPI_Op_free(&copy);
  if (!is_fixed) MPI_Op_free(&op);
}

static void free_group(int is_fixed) {
  MPI_Group group, copy, same;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &same);
  copy = group;
  MPI_Group_free(&copy);
  MPI_Group_free(&same);
  if (!is_fixed) MPI_Group_free(&group);
}

int main(int argc, char **argv) {
  const int is_fixed = argc > 2 && !strcmp(argv[2], "fixed");
  MPI_Init(&argc, &argv);
  switch (argv[1][0]) {
  case 'c':
    free_comm(is_fixed);
    break;
  case 't':
    free_type(is_fixed);
    break;
  case 'g':
    free_group(is_fixed);
    break;
  default:
    free_op(is_fixed);
  }
  MPI_Finalize();
  return 0;
}
