// SPDX-License-Identifier: MIT
// Slow programs: four processes that go through all cases, one of which works for long in
// each. It works until a file with the case's name exists in the directory: `slow
// DIRECTORY`.
#include "begin.h"

static const char *directory, *name;

static void work(void) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  while (access(path, F_OK) != 0) usleep(1000);
}

static void receive(void) {
  if (rank == 3) work();
  if (rank == 3) SEND(0, 5);
  if (rank == 0) RECEIVE(3, 5);
}

static void chain(void) {
  if (rank == 3) work();
  if (rank < 3) RECEIVE(rank + 1, 5);
  if (rank > 0) SEND(rank - 1, 5);
}

static void barrier(void) {
  if (rank == 3) work();
  MPI_Barrier(WORLD);
}

static void broadcast(void) {
  if (rank == 3) work();
  MPI_Bcast(&in, 1, MPI_INT, 3, WORLD);
}

static void reduce(void) {
  if (rank == 3) work();
  MPI_Allreduce(MPI_IN_PLACE, &in, 1, MPI_INT, MPI_SUM, WORLD);
}

static void ssend(void) {
  if (rank == 3) work();
  if (rank == 0) SSEND(3, 5);
  if (rank == 3) RECEIVE(0, 5);
}

static void large_send(void) {
  if (rank == 3) work();
  if (rank == 0) MPI_Send(out, LARGE, MPI_INT, 3, 5, WORLD);
  if (rank == 3) MPI_Recv(large, LARGE, MPI_INT, 0, 5, WORLD, IGNORED);
}

static void waitall(void) {
  MPI_Request both[2];
  int got[2];
  if (rank == 3) work();
  if (rank == 1 || rank == 3) SEND(0, 5);
  if (rank != 0) return;
  for (int i = 0; i < 2; i++) MPI_Irecv(&got[i], 1, MPI_INT, 1 + 2 * i, 5, WORLD, &both[i]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

static void waitany(void) {
  MPI_Request both[2];
  int got[2], which;
  if (rank == 3) work();
  if (rank == 3) SEND(0, 5);
  if (rank == 3) SEND(0, 6);
  if (rank != 0) return;
  for (int i = 0; i < 2; i++) MPI_Irecv(&got[i], 1, MPI_INT, 3, 5 + i, WORLD, &both[i]);
  MPI_Waitany(2, both, &which, IGNORED);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

static void any(void) {
  if (rank == 3) work();
  if (rank == 3) SEND(0, 5);
  if (rank == 0) RECEIVE(MPI_ANY_SOURCE, MPI_ANY_TAG);
}

static void probe(void) {
  if (rank == 3) work();
  if (rank == 3) SEND(0, 5);
  if (rank == 0) MPI_Probe(MPI_ANY_SOURCE, 5, WORLD, IGNORED);
  if (rank == 0) RECEIVE(3, 5);
}

static void ibarrier(void) {
  MPI_Request one;
  if (rank == 3) work();
  MPI_Ibarrier(WORLD, &one);
  MPI_Wait(&one, IGNORED);
}

static void sendrecv(void) {
  if (rank == 3) work();
  MPI_Sendrecv(out, 1, MPI_INT, (rank + 1) % 4, 5, &in, 1, MPI_INT, (rank + 3) % 4, 5, WORLD,
               IGNORED);
}

static void persistent(void) {
  MPI_Request one;
  if (rank == 3) work();
  if (rank == 0) MPI_Recv_init(&in, 1, MPI_INT, 3, 5, WORLD, &one);
  if (rank == 3) MPI_Ssend_init(out, 1, MPI_INT, 0, 5, WORLD, &one);
  if (rank == 1 || rank == 2) return;
  for (int i = 0; i < 2; i++) {
    MPI_Start(&one);
    MPI_Wait(&one, IGNORED);
  }
  MPI_Request_free(&one);
}

static void split(void) {
  MPI_Comm half;
  if (rank == 3) work();
  MPI_Comm_split(WORLD, rank % 2, rank, &half);
  MPI_Barrier(half);
  MPI_Comm_free(&half);
}

static void intercommunicator(void) {
  MPI_Comm both = between();
  if (rank == 3) work();
  MPI_Barrier(both);
  MPI_Comm_free(&both);
}

static void scan(void) {
  if (rank == 0) work();
  MPI_Scan(&rank, &in, 1, MPI_INT, MPI_SUM, WORLD);
}

static void neighbors(void) {
  MPI_Comm line;
  int from[2];
  MPI_Cart_create(WORLD, 1, (int[]){4}, (int[]){0}, 0, &line);
  if (rank == 3) work();
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, from, 1, MPI_INT, line);
  MPI_Comm_free(&line);
}

static void fence(void) {
  MPI_Win win = window();
  MPI_Win_fence(0, win);
  if (rank == 3) work();
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void exposure(void) {
  MPI_Win win = window();
  MPI_Group all, other;
  int peer = 3 - rank;
  MPI_Comm_group(WORLD, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) MPI_Win_post(other, 0, win);
  if (rank == 0) MPI_Win_wait(win);
  if (rank == 3) {
    MPI_Win_start(other, 0, win);
    work();
    MPI_Win_complete(win);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&other);
  MPI_Win_free(&win);
}

static void lock(void) {
  MPI_Win win = window();
  if (rank == 3) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(out, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  MPI_Barrier(WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Win_unlock(0, win);
  }
  if (rank == 3) {
    work();
    MPI_Win_unlock(0, win);
  }
  MPI_Win_free(&win);
}

// A process that only tests its request can continue.
static void polling(void) {
  MPI_Request one;
  int there = 0;
  if (rank == 0) {
    MPI_Irecv(&in, 1, MPI_INT, 3, 5, WORLD, &one);
    while (!there) MPI_Test(&one, &there, IGNORED);
    SEND(1, 5);
  }
  if (rank == 1) RECEIVE(0, 5);
  if (rank == 3) work();
  if (rank == 3) SEND(0, 5);
}

// Receives from any source that do not block: later, the source is not known.
static void pending_any(void) {
  MPI_Request one;
  for (int i = 0; rank == 0 && i < 4; i++) {
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &one);
    MPI_Wait(&one, IGNORED);
  }
  if (rank == 1 || rank == 2) SEND(0, rank);
  if (rank == 3) work();
  if (rank == 3) SEND(0, 5);
  if (rank == 3) SEND(0, 6);
}

static void leaders(void) {
  MPI_Comm half, both;
  MPI_Comm_split(WORLD, rank % 2, rank, &half);
  if (rank == 3) work();
  MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 7, &both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void gathered(void) {
  MPI_Group all;
  MPI_Comm made;
  MPI_Comm_group(WORLD, &all);
  if (rank == 3) work();
  MPI_Comm_create_group(WORLD, all, 7, &made);
  MPI_Group_free(&all);
  MPI_Comm_free(&made);
}

static void to_root(void) {
  if (rank == 3) work();
  MPI_Gather(&rank, 1, MPI_INT, large, 1, MPI_INT, 0, WORLD);
}

static void disconnect(void) {
  MPI_Comm halo = named(WORLD, "halo");
  if (rank == 3) work();
  MPI_Comm_disconnect(&halo);
}

static void lock_all(void) {
  MPI_Win win = window();
  if (rank == 3) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win);
    MPI_Put(out, 1, MPI_INT, 3, 0, 1, MPI_INT, win);
    MPI_Win_flush(3, win);
  }
  MPI_Barrier(WORLD);
  if (rank == 0) MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Win_unlock_all(win);
  if (rank == 3) work();
  if (rank == 3) MPI_Win_unlock(3, win);
  MPI_Win_free(&win);
}

static void partitions(void) {
#if MPI_VERSION >= 4
  MPI_Request one;
  if (rank == 0) MPI_Precv_init(large, 1, 4, MPI_INT, 3, 5, WORLD, MPI_INFO_NULL, &one);
  if (rank == 3) MPI_Psend_init(out, 4, 1, MPI_INT, 0, 5, WORLD, MPI_INFO_NULL, &one);
  for (int round = 0; round < 2 && rank % 3 == 0; round++) {
    MPI_Start(&one);
    for (int i = 0; i < 4 && rank == 3; i++) {
      if (i == 3 && round == 1) work();
      MPI_Pready(i, one);
    }
    MPI_Wait(&one, IGNORED);
  }
  if (rank % 3 == 0) MPI_Request_free(&one);
#endif
}

static void partitioned_send(void) {
#if MPI_VERSION >= 4
  MPI_Request one;
  if (rank == 0) MPI_Psend_init(out, 1, LARGE, MPI_INT, 3, 5, WORLD, MPI_INFO_NULL, &one);
  if (rank == 3) work();
  if (rank == 3) MPI_Precv_init(large, 1, LARGE, MPI_INT, 0, 5, WORLD, MPI_INFO_NULL, &one);
  if (rank % 3 != 0) return;
  MPI_Start(&one);
  if (rank == 0) MPI_Pready(0, one);
  MPI_Wait(&one, IGNORED);
  MPI_Request_free(&one);
#endif
}

static MPI_File opened(void) {
  MPI_File file;
  char path[512];
  snprintf(path, sizeof path, "%s/file-%s", directory, name);
  MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Barrier(WORLD);
  return file;
}

static void file_close(void) {
  MPI_File file = opened();
  if (rank == 3) work();
  MPI_File_close(&file);
}

static void iread_all(void) {
  MPI_Request one;
  MPI_File file = opened();
  if (rank == 3) work();
  MPI_File_iread_all(file, large, 1, MPI_INT, &one);
  MPI_Wait(&one, IGNORED);
  MPI_File_close(&file);
}

static const struct {
  const char *name;
  void (*run)(void);
} CASES[] = {{"receive", receive},
             {"chain", chain},
             {"barrier", barrier},
             {"broadcast", broadcast},
             {"reduce", reduce},
             {"ssend", ssend},
             {"large", large_send},
             {"waitall", waitall},
             {"waitany", waitany},
             {"any", any},
             {"probe", probe},
             {"ibarrier", ibarrier},
             {"sendrecv", sendrecv},
             {"persistent", persistent},
             {"split", split},
             {"intercommunicator", intercommunicator},
             {"scan", scan},
             {"neighbors", neighbors},
             {"fence", fence},
             {"exposure", exposure},
             {"lock", lock},
             {"polling", polling},
             {"pending-any", pending_any},
             {"leaders", leaders},
             {"gathered", gathered},
             {"to-root", to_root},
             {"disconnect", disconnect},
             {"partitions", partitions},
             {"partitioned-send", partitioned_send},
             {"lock-all", lock_all},
             {"file-close", file_close},
             {"iread-all", iread_all}};

int main(int argc, char **argv) {
  begin(&argc, &argv);
  directory = argv[1];
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    name = CASES[i].name;
    CASES[i].run();
    MPI_Barrier(WORLD);
  }
  MPI_Finalize();
}
