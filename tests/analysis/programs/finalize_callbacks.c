// SPDX-License-Identifier: MIT
// Attributes of MPI_COMM_SELF that free objects in MPI_Finalize. With an argument, the callback
// that runs last leaves some.

#include <mpi.h>
#include <stddef.h>

static MPI_Datatype type, copy;
static MPI_Comm comm;
static MPI_Group group;
static int leaves, arrived;

static int last(MPI_Comm self, int keyval, void *value, void *state) {
  MPI_Request request;
  MPI_Type_free(&type);
  MPI_Group_free(&group);
  if (leaves) {
    for (int i = 0; i < 2; i++) MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Irecv(&arrived, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
  }
  return MPI_SUCCESS;
}

static int first(MPI_Comm self, int keyval, void *value, void *state) {
  MPI_Request request;
  MPI_Type_dup(type, &copy);
  MPI_Irecv(&arrived, 1, MPI_INT, 0, 3, comm, &request);
  MPI_Send(&leaves, 1, MPI_INT, 0, 3, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  PMPI_Type_free(&copy);
  MPI_Comm_free(&comm);
  return MPI_SUCCESS;
}

int main(int argc, char **argv) {
  int keys[2];
  MPI_Init(&argc, &argv);
  leaves = argc > 1;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Type_contiguous(4, MPI_DOUBLE, &type);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &keys[0], NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, first, &keys[1], NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keys[0], NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keys[1], NULL);
  MPI_Comm_free_keyval(&keys[0]);
  MPI_Comm_free_keyval(&keys[1]);
  MPI_Finalize();
}
