// SPDX-License-Identifier: MIT
// One program for each sort of call that waits: `waits NAME`. Rank 0 waits in it for rank 1, which
// waits for a message of rank 0, except if noted.
#include "begin.h"

static int counts[8], places[8];

#define FINISH(request) MPI_Wait(&request, IGNORED)

static void partitions(void) {
#if MPI_VERSION >= 4
  MPI_Request one;
  if (rank == 0) MPI_Psend_init(out, 4, 1, MPI_INT, 1, 5, WORLD, MPI_INFO_NULL, &one);
  if (rank == 1) MPI_Precv_init(large, 2, 2, MPI_INT, 0, 5, WORLD, MPI_INFO_NULL, &one);
  for (int round = 0; round < 2; round++) {
    MPI_Start(&one);
    if (rank == 0) MPI_Pready_range(0, round ? 2 : 3, one); // one partition is never ready
    FINISH(one);
  }
#endif
}

static void partitioned_receive(void) {
#if MPI_VERSION >= 4
  MPI_Request one;
  if (rank == 0) MPI_Precv_init(large, 1, 4, MPI_INT, 1, 5, WORLD, MPI_INFO_NULL, &one);
  if (rank == 1) MPI_Psend_init(out, 1, 4, MPI_INT, 0, 5, WORLD, MPI_INFO_NULL, &one);
  if (rank == 1) RECEIVE(0, 5);
  MPI_Start(&one);
  FINISH(one);
#endif
}

static void partitioned_send(void) {
#if MPI_VERSION >= 4
  MPI_Request one;
  if (rank == 0) MPI_Psend_init(out, 1, LARGE, MPI_INT, 1, 5, WORLD, MPI_INFO_NULL, &one);
  if (rank == 1) RECEIVE(0, 5);
  MPI_Start(&one);
  MPI_Pready(0, one);
  FINISH(one);
#endif
}

static void ready_send(void) {
  if (rank == 1) RECEIVE(0, 6);
  MPI_Rsend(out, LARGE, MPI_INT, 1, 5, WORLD);
}

static void replace(void) {
  if (rank == 1) RECEIVE(0, 6);
  MPI_Sendrecv_replace(out, 1, MPI_INT, 1, 5, 1, 5, WORLD, IGNORED);
}

static int nothing(void *state) {
  (void)state;
  return MPI_SUCCESS;
}

static int no_status(void *state, MPI_Status *status) {
  (void)state, (void)status;
  return MPI_SUCCESS;
}

static int no_cancel(void *state, int complete) {
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

static void generalized(void) {
  MPI_Request one;
  if (rank == 1) RECEIVE(0, 5);
  MPI_Grequest_start(no_status, nothing, no_cancel, NULL, &one);
  FINISH(one);
}

static void gather(void) {
  if (rank == 1) RECEIVE(0, 5);
  MPI_Gather(out, 1, MPI_INT, large, 1, MPI_INT, 0, WORLD);
}

static void reduce(void) {
  if (rank == 1) RECEIVE(0, 5);
  MPI_Reduce(out, large, 1, MPI_INT, MPI_SUM, 0, WORLD);
}

static void ibcast(void) {
  MPI_Request one;
  if (rank == 1) RECEIVE(0, 5);
  MPI_Ibcast(out, 1, MPI_INT, 1, WORLD, &one);
  FINISH(one);
}

static void iallreduce(void) {
  MPI_Request one;
  if (rank == 1) RECEIVE(0, 5);
  MPI_Iallreduce(out, large, 1, MPI_INT, MPI_SUM, WORLD, &one);
  FINISH(one);
}

static void ialltoallv(void) {
  MPI_Request one;
  if (rank == 1) RECEIVE(0, 5);
  counts[1] = 1;
  MPI_Ialltoallv(out, counts, places, MPI_INT, large, counts, places, MPI_INT, WORLD, &one);
  FINISH(one);
}

// Rank 0 needs data of rank 2 alone, and has received it; rank 1 has none for it.
static void no_data(void) {
  if (rank == 1) RECEIVE(0, 5);
  if (rank == 0) counts[2] = 1;
  if (rank == 2) counts[0] = 1;
  MPI_Alltoallv(out, counts, places, MPI_INT, large, counts, places, MPI_INT, WORLD);
  if (rank == 0) RECEIVE(1, 6);
}

static void ineighbor(void) {
  MPI_Comm line;
  MPI_Request one;
  int from[2];
  MPI_Cart_create(WORLD, 1, &size, (int[]){0}, 0, &line);
  if (rank == 1) RECEIVE(0, 5);
  MPI_Ineighbor_allgather(&rank, 1, MPI_INT, from, 1, MPI_INT, line, &one);
  FINISH(one);
}

static void mismatch(void) {
  if (rank == 0) MPI_Barrier(WORLD);
  if (rank == 1) MPI_Bcast(large, LARGE, MPI_INT, 0, WORLD);
}

static void idup(void) {
  MPI_Comm made;
  MPI_Request one;
  if (rank == 1) RECEIVE(0, 5);
  MPI_Comm_idup(WORLD, &made, &one);
  FINISH(one);
}

static void disconnect(void) {
  MPI_Comm halo = named(WORLD, "halo");
  if (rank == 1) RECEIVE(0, 5);
  MPI_Comm_disconnect(&halo);
}

static void spawn(void) {
  MPI_Comm made;
  if (rank == 1) RECEIVE(0, 5);
  MPI_Comm_spawn("/nowhere", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 1, WORLD, &made, MPI_ERRCODES_IGNORE);
}

static void window_made(void) {
  MPI_Win win;
  if (rank == 1) RECEIVE(0, 5);
  MPI_Win_create(out, 4, 4, MPI_INFO_NULL, WORLD, &win);
}

static void lock_all(void) {
  MPI_Win win = window();
  if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  if (rank == 1) MPI_Put(out, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  if (rank == 1) MPI_Win_flush(1, win);
  MPI_Barrier(WORLD);
  if (rank == 1) RECEIVE(0, 5);
  MPI_Win_lock_all(0, win);
  MPI_Put(out, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  MPI_Win_unlock_all(win);
}

static MPI_File opened(void) {
  MPI_File file;
  char name[64];
  snprintf(name, sizeof name, "/tmp/mpipp-waits-%d", (int)getppid());
  MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Barrier(WORLD);
  unlink(name);
  return file;
}

static void file_open(void) {
  MPI_File file;
  if (rank == 1) RECEIVE(0, 5);
  MPI_File_open(WORLD, "/tmp/mpipp-waits", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

static void file_close(void) {
  MPI_File file = opened();
  if (rank == 1) RECEIVE(0, 5);
  MPI_File_close(&file);
}

static void write_all(void) {
  MPI_File file = opened();
  if (rank == 1) RECEIVE(0, 5);
  MPI_File_write_all(file, out, 1, MPI_INT, IGNORED);
}

static void write_end(void) {
  MPI_File file = opened();
  if (rank == 1) RECEIVE(0, 5);
  MPI_File_write_all_begin(file, out, 1, MPI_INT);
  MPI_File_write_all_end(file, out, IGNORED);
}

static void iread_all(void) {
  MPI_Request one;
  MPI_File file = opened();
  if (rank == 1) RECEIVE(0, 5);
  MPI_File_iread_all(file, out, 1, MPI_INT, &one);
  FINISH(one);
}

static void past(void) { // rank 1 has left MPI
  if (rank == 0) MPI_Bcast(out, 1, MPI_INT, 1, WORLD);
  if (rank == 1) MPI_Gather(out, 1, MPI_INT, NULL, 0, MPI_INT, 0, WORLD);
  while (rank == 1) pause();
}

static void write_close(void) {
  MPI_File file = opened();
  if (rank == 0) MPI_File_write_all(file, out, 1, MPI_INT, IGNORED);
  MPI_File_close(&file);
}

static const struct {
  const char *name;
  void (*hang)(void);
} CASES[] = {{"partitions", partitions},
             {"partitioned-receive", partitioned_receive},
             {"partitioned-send", partitioned_send},
             {"ready-send", ready_send},
             {"replace", replace},
             {"generalized", generalized},
             {"gather", gather},
             {"reduce", reduce},
             {"ibcast", ibcast},
             {"iallreduce", iallreduce},
             {"ialltoallv", ialltoallv},
             {"no-data", no_data},
             {"ineighbor", ineighbor},
             {"mismatch", mismatch},
             {"idup", idup},
             {"disconnect", disconnect},
             {"spawn", spawn},
             {"window-made", window_made},
             {"lock-all", lock_all},
             {"file-open", file_open},
             {"file-close", file_close},
             {"write-all", write_all},
             {"write-end", write_end},
             {"iread-all", iread_all},
             {"past", past},
             {"write-close", write_close}};

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    if (strcmp(CASES[i].name, argv[1]) == 0) CASES[i].hang();
  MPI_Finalize();
}
