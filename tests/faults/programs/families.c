// SPDX-License-Identifier: MIT
// Calls of every family, and prints all results of MPI: the same text, watched or not. families
// DIRECTORY; any number of processes, if more than one each prints to DIRECTORY/RANK.
#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24, LOOPS = 40 };
static int rank, size, in[4 * N], out[4 * N], *counts, *places;
static MPI_Comm world = MPI_COMM_WORLD;

static void line(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  printf("%d: %s\n", rank, text);
}

static void say(const char *call, int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  line("%.60s: class %d", call, class);
}
#define RUN(CALL) say(#CALL, CALL)
// For calls that affect only this process: they must not change errno.
#define LOCAL(CALL)                                                                                \
  do {                                                                                             \
    errno = 77;                                                                                    \
    int code = CALL;                                                                               \
    if (errno != 77) line("errno %d after %s", errno, #CALL);                                      \
    say(#CALL, code);                                                                              \
  } while (0)

static unsigned sum(const void *data, size_t bytes) {
  unsigned hash = 5381;
  for (const unsigned char *p = data; bytes--; p++) hash = hash * 33 + *p;
  return hash;
}

static void fill(void) {
  for (int i = 0; i < 4 * N; i++) out[i] = 1000 * rank + i, in[i] = -1;
}

static void received(const char *what) {
  line("%s %u", what, sum(in, sizeof in));
  fill();
}

static void about(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  char packed[16 * N];
  int bytes = 0, length, position = 0, n[4];
  MPI_Aint lb, extent, true_lb, true_extent;
  LOCAL(MPI_Type_size(type, &bytes));
  LOCAL(MPI_Type_get_extent(type, &lb, &extent));
  LOCAL(MPI_Type_get_true_extent(type, &true_lb, &true_extent));
  LOCAL(MPI_Type_get_name(type, name, &length));
  LOCAL(MPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &n[3]));
  line("'%s' %d [%ld %ld] [%ld %ld] %d %d %d %d", name, bytes, (long)lb, (long)extent,
       (long)true_lb, (long)true_extent, n[0], n[1], n[2], n[3]);
  LOCAL(MPI_Type_commit(&type));
  LOCAL(MPI_Pack(out, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF));
  line("packed %d %u", position, sum(packed, (size_t)position));
}

static void datatypes(void) {
  MPI_Datatype t[12], copy, inner;
  int lengths[] = {2, 1, 3, 1, 2}, displacements[] = {4, 0, 7, 12, 14};
  MPI_Aint bytes[] = {0, 8, 16, 40, 48};
  MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_CHAR, MPI_INT, MPI_FLOAT};
  int sizes[] = {4, 5, 6}, subsizes[] = {2, 3, 1}, starts[] = {1, 0, 2}, psizes[] = {1, 2, 1};
  int distribs[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG};
  LOCAL(MPI_Type_contiguous(3, MPI_INT, &t[0]));
  LOCAL(MPI_Type_vector(3, 2, 4, MPI_INT, &t[1]));
  LOCAL(MPI_Type_create_hvector(3, 2, 20, MPI_INT, &t[2]));
  LOCAL(MPI_Type_indexed(5, lengths, displacements, MPI_INT, &t[3]));
  LOCAL(MPI_Type_create_hindexed(5, lengths, bytes, MPI_INT, &t[4]));
  LOCAL(MPI_Type_create_indexed_block(5, 2, displacements, MPI_INT, &t[5]));
  LOCAL(MPI_Type_create_struct(5, lengths, bytes, types, &t[6]));
  LOCAL(MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_CHAR, &t[7]));
  LOCAL(MPI_Type_create_darray(2, 1, 3, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_CHAR,
                               &t[8]));
  LOCAL(MPI_Type_create_resized(t[1], 0, 64, &t[9]));
  LOCAL(MPI_Type_dup(t[3], &t[10]));
  LOCAL(MPI_Type_vector(2, 1, 1, t[9], &t[11]));
  LOCAL(MPI_Type_set_name(t[1], "a vector"));
  for (int i = 0; i < 12; i++) about(t[i]);
  LOCAL(MPI_Type_get_contents(t[9], 0, 2, 1, NULL, bytes, &inner));
  LOCAL(MPI_Type_dup(inner, &copy));
  about(copy);
  MPI_Type_free(&copy);
  MPI_Type_free(&inner);
  for (int i = 0; i < 12; i++) LOCAL(MPI_Type_free(&t[i]));
  LOCAL(MPI_Type_commit(&t[0])); // by now null
  LOCAL(MPI_Type_vector(-1, 1, 1, MPI_INT, &copy));
  LOCAL(MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &copy));
}

static void many_datatypes(void) {
  MPI_Datatype kept[8 * LOOPS], inner;
  for (int i = 0; i < 8 * LOOPS; i++) {
    MPI_Type_vector(i % 5, 1, 2, MPI_INT, &inner);
    MPI_Type_create_indexed_block(3, 1, (int[]){0, 2, i}, inner, &kept[i]);
    if (i % 3) MPI_Type_free(&inner);
  }
  for (int i = 0; i < 8 * LOOPS; i++) {
    int bytes;
    MPI_Type_size(kept[i], &bytes);
    if (bytes != 12 * (i % 5)) line("kept[%d] has %d bytes", i, bytes);
    MPI_Type_free(&kept[i]);
  }
}

static void point_to_point(void) {
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request r[4], many[LOOPS];
  MPI_Status status;
  MPI_Message message;
  MPI_Datatype vector;
  MPI_Type_vector(4, 1, 3, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  fill();
  RUN(MPI_Sendrecv(out, 1, vector, right, 1, in, 4, MPI_INT, left, 1, world, &status));
  received("sendrecv");
  RUN(MPI_Irecv(in, 1, vector, left, 2, world, &r[0]));
  RUN(MPI_Isend(out, 4, MPI_INT, right, 2, world, &r[1]));
  MPI_Type_free(&vector);
  RUN(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
  received("isend");
  RUN(MPI_Recv_init(in, 5, MPI_INT, left, 3, world, &r[0]));
  RUN(MPI_Send_init(out, 5, MPI_INT, right, 3, world, &r[1]));
  for (int i = 0; i < 3; i++) {
    RUN(MPI_Startall(2, r));
    RUN(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    received("persistent");
  }
  RUN(MPI_Request_free(&r[0]));
  RUN(MPI_Request_free(&r[1]));
  RUN(MPI_Isend(out, 6, MPI_INT, right, 4, world, &r[0]));
  RUN(MPI_Mprobe(left, 4, world, &message, &status));
  RUN(MPI_Mrecv(in, 6, MPI_INT, &message, &status));
  RUN(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
  received("mrecv");
  for (int i = 0; i < LOOPS; i++) MPI_Isend(out + i, 1, MPI_INT, right, 100 + i, world, &many[i]);
  for (int i = LOOPS; i--;) MPI_Recv(in + i, 1, MPI_INT, left, 100 + i, world, &status);
  RUN(MPI_Waitall(LOOPS, many, MPI_STATUSES_IGNORE));
  received("many");
  RUN(MPI_Irecv(in, 1, MPI_INT, left, 9, world, &r[0]));
  RUN(MPI_Cancel(&r[0]));
  RUN(MPI_Wait(&r[0], &status));
  RUN(MPI_Send(out, 1, MPI_INT, size, 1, world)); // the communicator has no such rank
  RUN(MPI_Send(out, -1, MPI_INT, 0, 1, world));
  RUN(MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 1, world, &status));
}

static void collective(void) {
  MPI_Request r;
  MPI_Datatype *types = malloc((size_t)size * sizeof *types);
  int *bytes = malloc((size_t)size * sizeof *bytes);
  for (int i = 0; i < size; i++) types[i] = MPI_INT, bytes[i] = 4 * places[i];
  fill();
  RUN(MPI_Bcast(rank ? in : out, 5, MPI_INT, 0, world));
  RUN(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, world));
  received("allgather");
  RUN(MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, world));
  received("allgatherv");
  RUN(MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_NULL));
  RUN(MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, world));
  received("alltoall");
  RUN(MPI_Ialltoallw(out, counts, bytes, types, in, counts, bytes, types, MPI_COMM_SELF, &r));
  RUN(MPI_Wait(&r, MPI_STATUS_IGNORE));
  received("ialltoallw");
  RUN(MPI_Igatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, 0, world, &r));
  RUN(MPI_Wait(&r, MPI_STATUS_IGNORE));
  received("igatherv");
  RUN(MPI_Allreduce(MPI_IN_PLACE, out, 6, MPI_INT, MPI_SUM, world));
  memcpy(in, out, sizeof in);
  received("allreduce");
  RUN(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_MAX, world));
  received("reduce_scatter");
  RUN(MPI_Barrier(world));
  free(types);
  free(bytes);
}

static void larger(void *in, void *inout, int *length, MPI_Datatype *datatype) {
  for (int i = 0; i < *length; i++)
    if (((int *)in)[i] > ((int *)inout)[i]) ((int *)inout)[i] = ((int *)in)[i];
  (void)datatype;
}

static void complain(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  say("error handler", *code);
}

static void objects(void) {
  MPI_Comm dup, half, cart, later;
  MPI_Group all, one;
  MPI_Op op;
  MPI_Errhandler handler;
  MPI_Info info, same;
  MPI_Request r;
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int dims[] = {size, 1}, periods[] = {1, 0}, coords[2], flag, result, zero = 0;
  RUN(MPI_Comm_dup(world, &dup));
  RUN(MPI_Comm_set_name(dup, "copy"));
  RUN(MPI_Comm_split(world, rank % 2, -rank, &half));
  RUN(MPI_Cart_create(world, 2, dims, periods, 0, &cart));
  RUN(MPI_Cart_coords(cart, rank, 2, coords));
  RUN(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, cart));
  RUN(MPI_Comm_idup(dup, &later, &r));
  RUN(MPI_Wait(&r, MPI_STATUS_IGNORE));
  RUN(MPI_Comm_free(&later));
  LOCAL(MPI_Comm_group(dup, &all));
  LOCAL(MPI_Group_incl(all, 1, &zero, &one));
  LOCAL(MPI_Group_compare(all, one, &result));
  LOCAL(MPI_Group_free(&one));
  LOCAL(MPI_Group_free(&all));
  LOCAL(MPI_Op_create(larger, 1, &op));
  fill();
  RUN(MPI_Iallreduce(out, in, 4, MPI_INT, op, dup, &r));
  RUN(MPI_Wait(&r, MPI_STATUS_IGNORE));
  received("own operation");
  LOCAL(MPI_Op_free(&op));
  LOCAL(MPI_Comm_create_errhandler(complain, &handler));
  LOCAL(MPI_Comm_set_errhandler(dup, handler));
  LOCAL(MPI_Errhandler_free(&handler));
  LOCAL(MPI_Send(out, -1, MPI_INT, 0, 1, dup));
  LOCAL(MPI_Info_create(&info));
  LOCAL(MPI_Info_set(info, "key", "value"));
  LOCAL(MPI_Info_set(info, "another", "with some more text in it"));
  LOCAL(MPI_Info_dup(info, &same));
  LOCAL(MPI_Info_delete(info, "key"));
  LOCAL(MPI_Info_get(same, "key", MPI_MAX_INFO_VAL, value, &flag));
  line("info %d '%s', group %d, coords %d", flag, value, result, coords[0]);
  LOCAL(MPI_Info_free(&info));
  LOCAL(MPI_Info_free(&same));
  RUN(MPI_Comm_free(&cart));
  RUN(MPI_Comm_free(&half));
  RUN(MPI_Comm_free(&dup));
}

static void one_sided(void) {
  int *memory, right = (rank + 1) % size;
  MPI_Win win;
  RUN(MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, world, &memory, &win));
  fill();
  for (int i = 0; i < N; i++) memory[i] = 0;
  RUN(MPI_Win_fence(0, win));
  RUN(MPI_Put(out, 4, MPI_INT, right, 2, 4, MPI_INT, win));
  RUN(MPI_Win_fence(0, win));
  RUN(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));
  RUN(MPI_Accumulate(out, 4, MPI_INT, right, 3, 4, MPI_INT, MPI_SUM, win));
  RUN(MPI_Win_unlock(right, win));
  RUN(MPI_Barrier(world));
  memcpy(in, memory, N * sizeof *memory);
  received("window");
  RUN(MPI_Win_free(&win));
}

static void files(const char *directory) {
  char path[256];
  MPI_File file;
  MPI_Datatype view;
  int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  snprintf(path, sizeof path, "%s/families", directory);
  RUN(MPI_File_open(world, path, amode, MPI_INFO_NULL, &file));
  MPI_Type_vector(4, 1, 2, MPI_INT, &view);
  MPI_Type_commit(&view);
  RUN(MPI_File_set_view(file, 32 * rank, MPI_INT, view, "native", MPI_INFO_NULL));
  RUN(MPI_File_write_at_all(file, 0, out, 4, MPI_INT, MPI_STATUS_IGNORE));
  RUN(MPI_File_read_at_all_begin(file, 0, in, 4, MPI_INT));
  RUN(MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE));
  received("file");
  RUN(MPI_File_close(&file));
  MPI_Type_free(&view);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  if (size > 1) {
    char path[256];
    snprintf(path, sizeof path, "%s/%d", argv[1], rank);
    if (!freopen(path, "w", stdout)) return 1;
  }
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  counts = malloc((size_t)size * sizeof *counts);
  places = malloc((size_t)size * sizeof *places);
  for (int i = 0; i < size; i++) counts[i] = 1 + i % 3, places[i] = 3 * i;
  fill();
  datatypes();
  many_datatypes();
  point_to_point();
  collective();
  objects();
  one_sided();
  files(argv[1]);
  free(counts);
  free(places);
  MPI_Finalize();
  return size == 1 ? 3 : 0; // mpiexec prints a message if the status is not 0
}
