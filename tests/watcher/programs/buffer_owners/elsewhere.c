// SPDX-License-Identifier: MIT
// Small buffers in unmapped memory, and a filetype that does not consist of its etype. "fixed": no
// errors.
#include <mpi.h>
#include <string.h>

static void absolute(int fixed) {
  double values[2] = {0};
  int number = 0, lengths[2] = {2, 1};
  MPI_Aint displacements[2];
  MPI_Datatype type, types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Get_address(values, &displacements[0]);
  MPI_Get_address(&number, &displacements[1]);
  MPI_Type_create_struct(2, lengths, displacements, types, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(fixed ? MPI_BOTTOM : (void *)values, 1, type, 0, MPI_COMM_SELF); // wrong
  MPI_Type_free(&type);
}

static void not_of_etypes(int fixed) {
  MPI_File file;
  MPI_Datatype every_second;
  MPI_File_open(MPI_COMM_SELF, "elsewhere.dat",
                MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_Type_vector(4, 1, 2, fixed ? MPI_DOUBLE : MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_File_set_view(file, 0, MPI_DOUBLE, every_second, "native", MPI_INFO_NULL); // wrong
  MPI_File_set_view(file, 0, MPI_BYTE, every_second, "native", MPI_INFO_NULL);
  MPI_Type_free(&every_second);
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  const int fixed = argc > 1 && !strcmp(argv[1], "fixed");
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  absolute(fixed);
  not_of_etypes(fixed);
  MPI_Finalize();
}
