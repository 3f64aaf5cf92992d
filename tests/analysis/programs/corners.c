// SPDX-License-Identifier: MIT
// A correct program of one process. It names buffers without using them, has partitions of its own,
// and frees a datatype in use. The argument is a file's name.

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

// At the border of a grid, a process receives nothing: neither the first nor the last one does.
static void from_nobody(void) {
  const int one = 1, none = 0, counts[2] = {2, 2}, displacements[2] = {0, 1};
  double halo[4] = {0};
  MPI_Comm row;
  MPI_Message message;
  MPI_Request requests[2];
  MPI_Exscan(halo, halo + 1, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &none, 0, &row);
  MPI_Neighbor_alltoallv(halo, counts, displacements, MPI_DOUBLE, halo + 1, counts, displacements,
                         MPI_DOUBLE, row);
  MPI_Comm_free(&row);
  for (int i = 0; i < 2; i++) {
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(halo, 4, MPI_DOUBLE, &message, &requests[i]);
  }
  MPI_Waitany(2, requests, &(int){0}, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

#if MPI_VERSION >= 4
static void in_partitions(void) {
  double from[4] = {0}, to[4] = {0}, sum;
  MPI_Request requests[2];
  MPI_Psend_init(from, 2, 2, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(to, 2, 2, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready(1, requests[0]);
  MPI_Scan(&(double){1}, from, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  MPI_Pready(0, requests[0]);
  for (int arrived = 0; !arrived;) MPI_Parrived(requests[1], 0, &arrived);
  MPI_Reduce(to, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_SELF);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}
#endif

static void no_operation(void) {
  int *base, result;
  MPI_Win win;
  MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  *base = 0;
  MPI_Win_fence(0, win);
  MPI_Fetch_and_op(NULL, &result, MPI_INT, 0, 0, MPI_NO_OP, win);
  MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &result, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP,
                     win);
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
  from_nobody();
#if MPI_VERSION >= 4
  in_partitions();
#endif
  no_operation();
  packed_further();
  MPI_Finalize();
  return 0;
}
