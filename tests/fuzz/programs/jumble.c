// SPDX-License-Identifier: MIT
// jumble N: two processes with objects of all kinds, each inside a call that never ends.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 64 };
static int rank, numbers[4 * N];
static double values[8 * N], others[8 * N];
static MPI_Datatype types[16], empty, marked;
static MPI_Comm ring, grid;
static MPI_Request requests[12];

static void add(void *in, void *inout, int *length, MPI_Datatype *datatype) {
  (void)in, (void)inout, (void)length, (void)datatype;
}

static void ignore(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
}

static void datatypes(void) {
  int lengths[] = {2, 1, 3, 0, 2}, displacements[] = {4, 0, 7, 12, 14};
  MPI_Aint bytes[] = {0, 8, 16, 40, 48};
  int sizes[] = {4, 5, 6}, subsizes[] = {2, 3, 1}, starts[] = {1, 0, 2}, psizes[] = {1, 2, 1};
  int distribs[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Type_contiguous(3, MPI_INT, &types[0]);
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &types[1]);
  MPI_Type_create_hvector(3, 2, 20, types[0], &types[2]);
  MPI_Type_indexed(5, lengths, displacements, MPI_INT, &types[3]);
  MPI_Type_create_hindexed(5, lengths, bytes, MPI_CHAR, &types[4]);
  MPI_Type_create_indexed_block(5, 2, displacements, types[1], &types[5]);
  MPI_Type_create_hindexed_block(5, 2, bytes, MPI_DOUBLE_INT, &types[6]);
  MPI_Datatype parts[] = {MPI_INT, types[0], MPI_CHAR, types[1], MPI_FLOAT};
  MPI_Type_create_struct(5, lengths, bytes, parts, &types[7]);
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_SHORT, &types[8]);
  MPI_Type_create_darray(2, 1, 3, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &types[9]);
  MPI_Type_create_resized(types[1], -8, 200, &types[10]);
  MPI_Type_dup(types[7], &types[11]);
  MPI_Type_vector(2, 1, 1, types[10], &types[12]);
  MPI_Type_contiguous(2, types[12], &types[13]);
  MPI_Type_create_f90_integer(9, &types[14]);
  MPI_Type_vector(1 << 30, 1, 0, MPI_INT, &types[15]);
  for (int i = 0; i < 14; i++) MPI_Type_commit(&types[i]);
  MPI_Type_set_name(types[1], "a \"vector\"\n\x1b[31m\xc2\x9b");
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_dup(MPI_CHAR, &marked);
  MPI_Type_free(&marked);
}

static void objects(void) {
  static MPI_Group group;
  static MPI_Op op;
  static MPI_Errhandler errhandler;
  static MPI_Info info;
  static MPI_Win win;
  static MPI_File file;
  static MPI_Message message;
  static MPI_Request send;
  int dims[2] = {2, 1}, periods[2] = {0, 1};
  MPI_Comm_dup(MPI_COMM_WORLD, &ring);
  MPI_Comm_set_name(ring, "ring");
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_group(ring, &group);
  MPI_Op_create(add, 1, &op);
  MPI_Comm_create_errhandler(ignore, &errhandler);
  MPI_Comm_set_errhandler(ring, errhandler);
  MPI_Info_create(&info);
  MPI_Info_set(info, "note", "say \"hi\"");
  MPI_Win_create(values, sizeof values, sizeof *values, MPI_INFO_NULL, ring, &win);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  char name[64];
  snprintf(name, sizeof name, "jumble-%d", (int)getpid());
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  unlink(name); // nobody will close it
  MPI_File_set_view(file, 16, MPI_DOUBLE, types[1], "native", MPI_INFO_NULL);
  MPI_Isend(values, 1, MPI_DOUBLE, 0, 9, MPI_COMM_SELF, &send);
  MPI_Mprobe(0, 9, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
}

static void pending(void) {
  static int counts[2] = {1, 2}, places[2] = {0, 40}, offsets[2] = {0, 512};
  static MPI_Datatype both[2];
  both[0] = types[0], both[1] = types[7];
  int n = 0, peer = 1 - rank;
  MPI_Irecv(values, 1, types[1], peer, 3, ring, &requests[n++]);
  MPI_Irecv(values + 1, 1, types[1], peer, 4, ring, &requests[n++]);
  MPI_Irecv(numbers, 2, types[3], MPI_ANY_SOURCE, 5, grid, &requests[n++]);
  MPI_Issend(others, 3, types[2], peer, 4 + rank, ring, &requests[n++]);
  MPI_Send_init(others, 1, types[6], peer, 6, ring, &requests[n++]);
  MPI_Recv_init(values, 2, types[7], peer, 6, ring, &requests[n++]);
  MPI_Start(&requests[n - 1]);
  MPI_Ialltoallv(others, counts, places, types[0], values, counts, places, MPI_INT, ring,
                 &requests[n++]);
  MPI_Ialltoallw(others, counts, offsets, both, values, counts, offsets, both, grid,
                 &requests[n++]);
  MPI_Ireduce(MPI_IN_PLACE, values, 4, MPI_DOUBLE, MPI_SUM, rank, ring, &requests[n++]);
#if MPI_VERSION >= 4
  MPI_Psend_init(others, 4, 8, MPI_DOUBLE, peer, 8, ring, MPI_INFO_NULL, &requests[n++]);
#endif
  for (; n < 12; n++) requests[n] = MPI_REQUEST_NULL;
}

static void stay(int how) {
  static int counts[2] = {1, 3}, places[2] = {0, 2}, offsets[2] = {0, 512};
  static MPI_Datatype both[2];
  both[0] = types[12], both[1] = types[4];
  if (how == 0 && rank == 0) MPI_Recv(values, 2, types[5], 1, 77, ring, MPI_STATUS_IGNORE);
  if (how == 0) MPI_Alltoallw(others, counts, offsets, both, values, counts, offsets, both, grid);
  if (how == 1 && rank == 0) MPI_Ssend(others, 2, types[7], 1, 78, ring);
  if (how == 1) MPI_Recv(values, 2, types[11], MPI_ANY_SOURCE, 79, ring, MPI_STATUS_IGNORE);
  if (how == 2 && rank == 0) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (how == 2) MPI_Gatherv(others, 1, types[1], values, counts, places, types[1], 1, grid);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  datatypes();
  objects();
  pending();
  printf("%d %d\n", rank, (int)getpid());
  fflush(stdout);
  stay(argc > 1 ? atoi(argv[1]) : 0);
  fprintf(stderr, "rank %d left the call\n", rank);
  for (;;) pause();
}
