// SPDX-License-Identifier: MIT
// Uses handles of all kinds after they were freed (lazy_free_tool.c). Usage: freed FILE.
#include "probe.h"

enum { MANY = 3000 };
static int rank, in[64], out[64];
static MPI_Datatype type, recycled;
static MPI_Comm comm;

static void types(void) {
  MPI_Request request = MPI_REQUEST_NULL; // --on-error=handler refuses some of these calls
  MPI_Datatype made = MPI_DATATYPE_NULL, copies[4], types[2] = {type, recycled};
  int lengths[2] = {1, 1}, counts[2] = {1, 1}, starts[2] = {0, 0}, position = 0, numbers[4];
  MPI_Aint places[2] = {0, 64};
  for (int i = 0; i < 2; i++) {
    MPI_Sendrecv(out, 1, types[i], rank, 0, in, 2, MPI_INT, rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Irecv(in, 1, types[i], rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, 1, types[i], rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(in, 1, types[i], 0, MPI_COMM_WORLD);
    MPI_Pack(out, 1, types[i], in, sizeof in, &position, MPI_COMM_SELF);
    MPI_Type_vector(2, 1, 3, types[i], &made);
    MPI_Type_commit(&made);
    MPI_Sendrecv(out, 1, made, rank, 2, in, 1, made, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_dup(types[i], &made);
    MPI_Type_commit(&types[i]);
    MPI_Type_set_name(types[i], "freed");
    MPI_Type_get_contents(types[i], 1, 0, 1, numbers, places + 1, copies);
  }
  places[1] = 64;
  MPI_Type_create_struct(2, lengths, places, types, &made);
  MPI_Alltoallw(out, counts, starts, types, in, counts, starts, types, MPI_COMM_SELF);
  MPI_Type_free(&types[0]);
}

static void communicators(void) {
  MPI_Comm made;
  MPI_Group group;
  MPI_Errhandler handler = MPI_ERRORS_RETURN;
  MPI_Info info;
  int sum;
  MPI_Barrier(comm);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_dup(comm, &made);
  MPI_Comm_split(comm, 0, rank, &made);
  MPI_Comm_group(comm, &group);
  MPI_Comm_get_errhandler(comm, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_name(comm, "freed");
  MPI_Comm_get_info(comm, &info);
  MPI_Sendrecv(out, 1, MPI_INT, rank, 3, in, 1, MPI_INT, rank, 3, comm, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
}

static void groups(void) {
  MPI_Group all, freed, made;
  MPI_Comm comm;
  int first = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &first, &freed);
  made = freed;
  MPI_Group_free(&made);
  MPI_Group_union(freed, all, &made);
  MPI_Group_incl(freed, 1, &first, &made);
  MPI_Comm_create(MPI_COMM_WORLD, freed, &comm);
  MPI_Group_free(&freed);
}

static void windows(void) {
  MPI_Win win, freed;
  MPI_Group group;
  MPI_Errhandler handler;
  int *memory;
  MPI_Win_allocate(sizeof in, sizeof *in, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  freed = win;
  MPI_Win_free(&win);
  MPI_Win_fence(0, freed);
  MPI_Put(out, 1, MPI_INT, rank, 0, 1, MPI_INT, freed);
  MPI_Put(out, 1, type, rank, 4, 1, type, freed);
  MPI_Win_fence(0, freed);
  MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, freed);
  MPI_Get(in, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, freed);
  MPI_Win_unlock(1 - rank, freed);
  MPI_Win_get_group(freed, &group);
  MPI_Win_get_errhandler(freed, &handler);
  MPI_Win_set_name(freed, "freed");
  MPI_Win_free(&freed);
}

static void files(const char *path) {
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File file, freed;
  MPI_Datatype etype, filetype;
  MPI_Offset disp;
  MPI_Errhandler handler;
  char datarep[MPI_MAX_DATAREP_STRING];
  MPI_File_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL);
  MPI_File_get_view(file, &disp, &etype, &filetype, datarep);
  MPI_File_write(file, out, 1, type, MPI_STATUS_IGNORE);
  freed = file;
  MPI_File_close(&file);
  MPI_File_write(freed, out, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_get_view(freed, &disp, &etype, &filetype, datarep);
  MPI_File_get_errhandler(freed, &handler);
  MPI_File_close(&freed);
}

static void add(void *in_, void *inout, int *length, MPI_Datatype *of) {
  (void)of;
  for (int i = 0; i < *length; i++) ((int *)inout)[i] += ((int *)in_)[i];
}

static void others(void) {
  MPI_Info info, freed_info, made;
  MPI_Comm dup;
  MPI_Op op, freed_op;
  MPI_Errhandler handler = MPI_ERRORS_RETURN, freed_handler;
  MPI_Request request = MPI_REQUEST_NULL, freed;
  int sum, flag;
  MPI_Info_create(&info);
  freed_info = info;
  MPI_Info_free(&info);
  MPI_Info_set(freed_info, "key", "value");
  MPI_Info_dup(freed_info, &made);
  MPI_Comm_dup_with_info(MPI_COMM_SELF, freed_info, &dup);
  MPI_Info_free(&freed_info);
  MPI_Op_create(add, 1, &op);
  freed_op = op;
  MPI_Op_free(&op);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, freed_op, MPI_COMM_WORLD);
  MPI_Op_free(&freed_op);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  freed_handler = handler;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, freed_handler);
  MPI_Recv_init(in, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &request);
  freed = request;
  MPI_Request_free(&request);
  MPI_Start(&freed);
  MPI_Request_get_status(freed, &flag, MPI_STATUS_IGNORE);
  MPI_Send(out, 1, MPI_INT, rank, 4, MPI_COMM_WORLD);
  MPI_Wait(&freed, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  static MPI_Datatype many[MANY], freed[MANY];
  (void)argc;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm dup = comm;
  MPI_Comm_free(&dup);
  // More objects than there are records, so that the first records are used again.
  for (int i = 0; i < MANY; i++) {
    MPI_Type_contiguous(2, MPI_INT, &many[i]);
    MPI_Type_commit(&many[i]);
    freed[i] = many[i];
    if (i < 100) MPI_Type_free(&many[i]);
  }
  recycled = freed[0];
  type = freed[MANY - 1];
  MPI_Type_free(&many[MANY - 1]);
  types();
  communicators();
  groups();
  windows();
  files(argv[1]);
  others();
  if (rank == 0) fputs("done\n", stdout);
  fflush(NULL);
  MPI_Barrier(MPI_COMM_WORLD); // launchers end the other processes when one has ended like this
  _exit(0);
}
