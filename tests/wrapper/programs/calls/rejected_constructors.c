// SPDX-License-Identifier: MIT
// Constructors that MPI refuses: the test reads them when MPI calls the error handler.
#include "probe.h"

static void refused(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  look("refused");
}

int main(int argc, char **argv) {
  MPI_Datatype made, null = MPI_DATATYPE_NULL, predefined = MPI_INT;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(refused, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);

  MPI_Type_vector(-1, 2, 3, MPI_INT, &made);
  MPI_Type_indexed(2, (int[]){1, -7}, (int[]){0, 4}, MPI_INT, &made);
  MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){0}, &null, &made);
  MPI_Type_create_subarray(0, (int[]){1}, (int[]){1}, (int[]){0}, MPI_ORDER_C, MPI_INT, &made);
  MPI_Type_commit(&null);
  MPI_Type_free(&predefined);
  look("end");
  MPI_Finalize();
  return 0;
}
