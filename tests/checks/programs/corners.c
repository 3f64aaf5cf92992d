// SPDX-License-Identifier: MIT
// A correct program of one process: buffers that are named but not used, and a datatype that is
// freed but still used. The argument is a file's name.

#include <mpi.h>
#include <stddef.h>

static void nobody(void) {
  double halo[4] = {0};
  MPI_Request requests[3];
  MPI_Irecv(halo, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(halo, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(halo, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(halo, 2, MPI_DOUBLE, MPI_PROC_NULL, 0, &halo[1], 2, MPI_DOUBLE, MPI_PROC_NULL, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void no_operation(void) {
  int *base, result;
  MPI_Win win;
  MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  *base = 0;
  MPI_Win_fence(0, win);
  MPI_Fetch_and_op(NULL, &result, MPI_INT, 0, 0, MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void packed_further(void) {
  char message[64], received[64];
  const int number = 7;
  int position = 0;
  MPI_Request requests[2];
  MPI_Pack(&number, 1, MPI_INT, message, sizeof message, &position, MPI_COMM_WORLD);
  MPI_Irecv(received, sizeof received, MPI_PACKED, 0, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(message, position, MPI_PACKED, 0, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Pack(&number, 1, MPI_INT, message, sizeof message, &position, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void freed_in_between(const char *name) {
  double numbers[4] = {0};
  MPI_File file;
  MPI_Datatype pair;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_all_begin(file, numbers, 1, pair);
  MPI_Type_free(&pair);
  MPI_File_write_all_end(file, numbers, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  freed_in_between(argv[1]);
  nobody();
  no_operation();
  packed_further();
  MPI_Finalize();
  return 0;
}
