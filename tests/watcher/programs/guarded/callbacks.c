// SPDX-License-Identifier: MIT
// A callback of an attribute creates objects inside an MPI call. They get the handles that were
// freed last.
#include <mpi.h>
#include <stdio.h>

static MPI_Datatype type;
static MPI_Comm comm;
static MPI_Group group;
static MPI_Info info;

static int make(MPI_Comm of, int key, void *state, void *in, void *out, int *flag) {
  MPI_Group all;
  int first = 0;
  (void)of, (void)key, (void)state, (void)in, (void)out;
  MPI_Type_vector(2, 1, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Info_create(&info);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &first, &group);
  MPI_Group_free(&all);
  *flag = 0;
  return MPI_SUCCESS;
}

int main(void) {
  int key, rank, in[8], out[8] = {0}, again;
  MPI_Comm dup;
  MPI_Group all;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_keyval(make, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Datatype old = type;
  MPI_Type_free(&type);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_free(&comm);
  MPI_Info_create(&info);
  MPI_Info_free(&info);
  MPI_Comm_group(MPI_COMM_SELF, &all);
  MPI_Group_excl(all, 0, NULL, &group);
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  MPI_Comm_dup(MPI_COMM_SELF, &dup);
  again = type == old;
  for (int i = 0; i < 2; i++)
    MPI_Sendrecv(out, 1, type, rank, 0, in, 2, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  MPI_Info_set(info, "key", "value");
  MPI_Group_free(&group);
  MPI_Info_free(&info);
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&dup);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  MPI_Comm_free_keyval(&key);
  if (rank == 0) printf("again: %d\n", again);
  MPI_Finalize();
  return 0;
}
