// SPDX-License-Identifier: MIT
// A program that hangs for the reason that its argument names: hanging NAME.
#include "begin.h"

static void receives(void) {
  RECEIVE(1 - rank, 5);
}

static void ring(void) {
  RECEIVE((rank + size - 1) % size, 5);
  SEND((rank + 1) % size, 5);
}

static void ssend_ring(void) {
  SSEND((rank + 1) % size, 5);
  RECEIVE((rank + size - 1) % size, 5);
}

static void sends(void) {
  MPI_Send(out, LARGE, MPI_INT, 1 - rank, 5, WORLD);
  MPI_Recv(large, LARGE, MPI_INT, 1 - rank, 5, WORLD, IGNORED);
}

static void tag(void) {
  if (rank == 0) SSEND(1, 17);
  if (rank == 1) RECEIVE(0, 71);
}

static void communicator(void) {
  MPI_Comm halo = named(WORLD, "halo");
  if (rank == 0) SSEND(1, 5);
  if (rank == 1) MPI_Recv(&in, 1, MPI_INT, 0, 5, halo, IGNORED);
}

static void off(void) {
  if (rank == 0) SEND(1, 5); // rank 2 waits in vain for this message
  if (rank == 0) RECEIVE(2, 6);
  if (rank == 1) RECEIVE(2, 6);
  if (rank == 2) RECEIVE(0, 5);
}

static void finalize(void) {
  for (int i = 0; rank == 1 && i < 3; i++) SEND(0, 50);
  if (rank == 0) RECEIVE(1, 5);
  if (rank == 2) MPI_Barrier(WORLD);
  // Rank 1 continues with MPI_Finalize.
}

static void participant(void) {
  if (rank == 3)
    RECEIVE(0, 5);
  else
    MPI_Barrier(WORLD);
  if (rank == 0) SEND(3, 5);
}

static void order(void) {
  MPI_Comm row = named(WORLD, "row"), column = named(WORLD, "column");
  MPI_Barrier(rank ? column : row);
  MPI_Barrier(rank ? row : column);
}

static void creation(void) {
  MPI_Comm row = named(WORLD, "row"), column = named(WORLD, "column"), made;
  MPI_Comm_split(rank ? column : row, 0, rank, &made);
  MPI_Comm_split(rank ? row : column, 0, rank, &made);
}

static void broadcast(void) {
  if (rank == 0) RECEIVE(1, 5);
  MPI_Bcast(&in, 1, MPI_INT, 0, WORLD);
  if (rank == 1) SEND(0, 5);
}

static void waitall(void) {
  MPI_Request both[2];
  int got[2];
  for (int i = 0; i < 2; i++)
    MPI_Irecv(&got[i], 1, MPI_INT, (rank + 1 + i) % 3, 5, WORLD, &both[i]);
  if (rank == 0) SEND(1, 5);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

static void waitany(void) {
  MPI_Request both[2];
  int got[2], which;
  if (rank != 0) {
    RECEIVE(0, 5);
    return;
  }
  for (int i = 0; i < 2; i++) MPI_Irecv(&got[i], 1, MPI_INT, i + 1, 5, WORLD, &both[i]);
  MPI_Waitany(2, both, &which, IGNORED);
}

static void persistent(void) {
  MPI_Request one;
  int count, which;
  if (rank == 0) MPI_Ssend_init(out, 1, MPI_INT, 1, 5, WORLD, &one);
  if (rank == 1) MPI_Recv_init(&in, 1, MPI_INT, 0, 6, WORLD, &one);
  MPI_Start(&one);
  MPI_Waitsome(1, &one, &count, &which, MPI_STATUSES_IGNORE);
}

static void any(void) {
  RECEIVE(MPI_ANY_SOURCE, rank ? 5 : MPI_ANY_TAG);
}

// The receive is not the first of its kind: earlier ones have taken messages.
static void pending_any(void) {
  MPI_Request one;
  for (int i = 0; i < 4; i++) {
    if (rank != 0) {
      SEND(0, i);
      continue;
    }
    for (int n = 1; n < size; n++) {
      MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &one);
      MPI_Wait(&one, IGNORED);
    }
  }
  if (rank != 0) RECEIVE(0, 9);
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &one);
  MPI_Wait(&one, IGNORED);
}

static void probe(void) {
  if (rank == 0) MPI_Probe(1, 5, WORLD, IGNORED);
  if (rank == 1) RECEIVE(0, MPI_ANY_TAG);
}

static void ibarrier(void) {
  MPI_Request one;
  if (rank == 2) SSEND(0, 5);
  MPI_Ibarrier(WORLD, &one);
  MPI_Wait(&one, IGNORED);
  if (rank == 0) RECEIVE(2, 5);
}

static void intercommunicator(void) {
  MPI_Comm both = between();
  MPI_Recv(&in, 1, MPI_INT, rank / 2, 5, both, IGNORED); // from the same place in the other group
}

static void sendrecv(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (rank == 2) right = 1; // should be 0
  MPI_Sendrecv(out, 1, MPI_INT, right, 5, &in, 1, MPI_INT, left, 5, WORLD, IGNORED);
  MPI_Barrier(WORLD);
}

static void five(void) {
  MPI_Comm pair;
  MPI_Request one;
  MPI_Comm_split(WORLD, rank == 2 || rank == 3, rank, &pair);
  MPI_Comm_set_name(pair, "pair");
  if (rank == 0) RECEIVE(1, 1);
  if (rank == 1) SSEND(2, 2);
  if (rank == 2) MPI_Barrier(pair);
  if (rank == 3) {
    MPI_Irecv(&in, 1, MPI_INT, 4, 3, WORLD, &one);
    MPI_Wait(&one, IGNORED);
  }
  if (rank == 4) RECEIVE(0, 4);
}

static void self(void) {
  RECEIVE(0, 5);
}

static void fence(void) {
  MPI_Win win = window();
  MPI_Win_fence(0, win);
  if (rank == 2) RECEIVE(0, 5);
  MPI_Win_fence(0, win);
}

static void exposure(void) {
  MPI_Win win = window();
  MPI_Group all, other;
  int peer = 1 - rank;
  MPI_Comm_group(WORLD, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) MPI_Win_post(other, 0, win);
  if (rank == 0) MPI_Win_wait(win);
  if (rank == 1) RECEIVE(0, 5);
}

static void lock(void) {
  MPI_Win win = window();
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(out, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  MPI_Barrier(WORLD);
  if (rank == 0) RECEIVE(1, 5);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Put(out, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_unlock(0, win);
  SEND(0, 5);
}

// The numbers of receives from any source; one receive's request is freed.
static void counts(void) {
  MPI_Request one;
  int lost;
  if (rank == 0) {
    MPI_Irecv(&in, 1, MPI_INT, 1, MPI_ANY_TAG, WORLD, &one);
    MPI_Wait(&one, IGNORED);
    RECEIVE(MPI_ANY_SOURCE, 2);
    MPI_Irecv(&lost, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, WORLD, &one);
    MPI_Wait(&one, IGNORED);
    MPI_Irecv(&lost, 1, MPI_INT, MPI_ANY_SOURCE, 3, WORLD, &one);
    MPI_Request_free(&one);
    RECEIVE(1, 9);
  }
  SEND(0, 1);
  SEND(0, 2);
  RECEIVE(0, 9);
}

// Each process receives from the rank before it: rank 2 need not wait for rank 0.
static void graph(void) {
  MPI_Comm ring;
  int before = (rank + size - 1) % size, after = (rank + 1) % size;
  MPI_Dist_graph_create_adjacent(WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Comm_set_name(ring, "ring");
  if (rank == 0) RECEIVE(1, 5);
  MPI_Neighbor_allgather(out, 1, MPI_INT, &in, 1, MPI_INT, ring);
}

static void persistent_collective(void) {
#if MPI_VERSION >= 4
  MPI_Request sum;
  MPI_Allreduce_init(large, out, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &sum);
  for (int i = 0; i < 2; i++) {
    if (i == 1 && rank == 0) RECEIVE(1, 5);
    MPI_Start(&sum);
    MPI_Wait(&sum, IGNORED);
  }
#endif
}

static void file(void) {
  MPI_File file;
  char name[64];
  snprintf(name, sizeof name, "/tmp/mpipp-hanging-%d", (int)getppid());
  MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Barrier(WORLD);
  unlink(name);
  MPI_File_write_at_all(file, 4 * rank, out, 1, MPI_INT, IGNORED);
  if (rank == 0) RECEIVE(1, 5); // rank 0 first sends the size to the others
  MPI_File_set_size(file, 4 * size);
  if (rank == 1) SEND(0, 5);
}

// The leaders of two groups do not find each other, for different reasons.
static void leaders(void) {
  MPI_Comm half, both;
  MPI_Comm_split(WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, rank % 2 ? 7 : 8, &both);
}

// The first two processes pass different tags; then all processes pass the same tag.
static void group_tag(void) {
  MPI_Group all, two;
  MPI_Comm made;
  int first[2] = {0, 1};
  MPI_Comm_group(WORLD, &all);
  MPI_Group_incl(all, 2, first, &two);
  MPI_Comm_create_group(WORLD, all, 3, &made);
  if (rank < 2) MPI_Comm_create_group(WORLD, two, 3, &made);
  if (rank < 2) MPI_Comm_create_group(WORLD, two, 3 + rank, &made);
}

// Three groups of two processes: each group passes another group than the others.
static void groups(void) {
  MPI_Group all, two;
  MPI_Comm made;
  int members[2] = {rank, (rank + 1) % 3};
  MPI_Comm_group(WORLD, &all);
  MPI_Group_incl(all, 2, members, &two);
  MPI_Comm_create_group(WORLD, two, 3, &made);
}

static void matched_probe(void) {
  MPI_Message message;
  if (rank == 0) MPI_Mprobe(1, 5, WORLD, &message, IGNORED);
  if (rank == 1) RECEIVE(0, MPI_ANY_TAG);
}

static void access_epoch(void) {
  MPI_Win win = window();
  MPI_Group all, other;
  int peer = 1 - rank;
  MPI_Comm_group(WORLD, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) RECEIVE(1, 5);
  MPI_Win_start(other, 0, win);
  MPI_Put(out, 1, MPI_INT, peer, 0, 1, MPI_INT, win);
  MPI_Win_complete(win);
}

static void window_free(void) {
  MPI_Win win = window();
  if (rank == 1) RECEIVE(0, 5);
  MPI_Win_free(&win);
}

static void window_fences(void) {
  MPI_Win win = window();
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void unreceived(void) {
  if (rank == 0) MPI_Send(out, LARGE, MPI_INT, 1, 5, WORLD);
}

// Only the order of their creation distinguishes the communicators.
static void alike(void) {
  MPI_Comm one, other;
  MPI_Comm_split(WORLD, 0, rank, &one);
  MPI_Comm_split(WORLD, 0, rank, &other);
  MPI_Barrier(rank ? other : one);
  MPI_Barrier(rank ? one : other);
}

static const struct {
  const char *name;
  void (*hang)(void);
} CASES[] = {{"matched-probe", matched_probe},
             {"access-epoch", access_epoch},
             {"window-free", window_free},
             {"window-fences", window_fences},
             {"unreceived", unreceived},
             {"alike", alike},
             {"graph", graph},
             {"leaders", leaders},
             {"group-tag", group_tag},
             {"groups", groups},
             {"persistent-collective", persistent_collective},
             {"receives", receives},
             {"ring", ring},
             {"ssend-ring", ssend_ring},
             {"sends", sends},
             {"tag", tag},
             {"communicator", communicator},
             {"off", off},
             {"finalize", finalize},
             {"participant", participant},
             {"order", order},
             {"creation", creation},
             {"broadcast", broadcast},
             {"waitall", waitall},
             {"waitany", waitany},
             {"persistent", persistent},
             {"any", any},
             {"pending-any", pending_any},
             {"probe", probe},
             {"ibarrier", ibarrier},
             {"intercommunicator", intercommunicator},
             {"sendrecv", sendrecv},
             {"five", five},
             {"self", self},
             {"counts", counts},
             {"fence", fence},
             {"file", file},
             {"exposure", exposure},
             {"lock", lock}};

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    if (strcmp(CASES[i].name, argv[1]) == 0) CASES[i].hang();
  MPI_Finalize();
}
