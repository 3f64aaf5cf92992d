// SPDX-License-Identifier: MIT
// Sends with freed datatypes, which MPICH accepts: one was freed just before, and the record of the
// other belongs to a new object.
#include <mpi.h>
#include <stdio.h>

enum { MANY = 3000 };

int main(void) {
  static MPI_Datatype types[MANY];
  int in[2], out[2] = {1, 2};
  MPI_Request request;
  MPI_Init(NULL, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < MANY; i++) {
    MPI_Type_contiguous(2, MPI_INT, &types[i]);
    MPI_Type_commit(&types[i]);
    MPI_Datatype type = types[i];
    if (i < 10 || i == MANY - 1) MPI_Type_free(&type);
  }
  MPI_Datatype used[] = {types[MANY - 1], types[0]};
  for (int i = 0; i < 2; i++) {
    MPI_Irecv(in, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    int code = MPI_Send(out, 1, used[i], 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("%d: %d %d\n", code, in[0], in[1]);
  }
  MPI_Finalize();
  return 0;
}
