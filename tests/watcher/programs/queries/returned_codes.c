// SPDX-License-Identifier: MIT
// Ignored error codes. "null": the program uses the file that could not be opened. "alone": no call
// follows, three times. "comm": an error on a communicator with MPI_ERRORS_RETURN. "handled": an
// error handler of the program gets it.
#include <mpi.h>
#include <string.h>

static MPI_File open_missing(int is_fixed) {
  MPI_File file;
  int mode = is_fixed ? MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR : MPI_MODE_RDWR;
  MPI_File_open(MPI_COMM_SELF, "there-is-none", mode, MPI_INFO_NULL, &file);
  return file;
}

static void use_null(int is_fixed) {
  int value = 7;
  MPI_File file = open_missing(is_fixed);
  MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  if (is_fixed) MPI_File_close(&file);
}

static void leave_alone(int is_fixed) {
  for (int i = 0; i < 3; i++) {
    MPI_File file = open_missing(is_fixed);
    if (is_fixed) MPI_File_close(&file);
  }
}

static int errors;

static void count_error(MPI_Comm *comm, int *code, ...) {
  errors += *comm != MPI_COMM_NULL && *code != MPI_SUCCESS;
}

static void send_away(int is_fixed, int is_handled) {
  MPI_Errhandler handler = MPI_ERRORS_RETURN;
  if (is_handled) MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  int value = 7;
  MPI_Send(&value, 1, MPI_INT, is_fixed ? MPI_PROC_NULL : 99, 0, MPI_COMM_SELF);
  if (is_handled) MPI_Errhandler_free(&handler);
}

int main(int argc, char **argv) {
  const int is_fixed = argc > 2 && !strcmp(argv[2], "fixed");
  MPI_Init(&argc, &argv);
  switch (argv[1][0]) {
  case 'n':
    use_null(is_fixed);
    break;
  case 'a':
    leave_alone(is_fixed);
    break;
  default:
    send_away(is_fixed, argv[1][0] == 'h');
  }
  MPI_Finalize();
  return 0;
}
