// SPDX-License-Identifier: MIT
// Uses the handle of a freed datatype. In Open MPI, the handle now belongs to a datatype of the
// library. Usage: stale FILE [own]: whether MPI_COMM_WORLD and MPI_COMM_SELF have an error handler.
#include <mpi.h>
#include <stdio.h>

enum { TYPES = 5 };

static void told(MPI_Comm *comm, int *code, ...) {
  int class;
  MPI_Error_class(*code, &class);
  printf("%s: class %d\n", *comm == MPI_COMM_WORLD ? "world" : "self", class);
}

int main(int argc, char **argv) {
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_Datatype types[TYPES], stale, vector;
  MPI_Errhandler handler;
  MPI_File file;
  char from[64] = {0}, to[256];
  int position = 0;
  setvbuf(stdout, NULL, _IONBF, 0);
  MPI_Init(&argc, &argv);
  if (argc > 2) {
    MPI_Comm_create_errhandler(told, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Errhandler_free(&handler);
  }
  for (int i = 0; i < TYPES; i++) {
    MPI_Type_vector(2, 1, 2, MPI_INT, &types[i]);
    MPI_Type_commit(&types[i]);
  }
  MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  MPI_File_open(MPI_COMM_SELF, argv[1], mode, MPI_INFO_NULL, &file);
  stale = types[TYPES - 1];
  for (int i = 0; i < TYPES; i++) MPI_Type_free(&types[i]);
  MPI_File_set_view(file, 0, MPI_INT, vector, "native", MPI_INFO_NULL);
  MPI_Pack(from, 1, stale, to, sizeof to, &position, MPI_COMM_SELF);
  printf("went on\n");
  if (argc > 2) MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  if (argc > 2) MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
  MPI_File_close(&file);
  MPI_Type_free(&vector);
  MPI_Finalize();
}
