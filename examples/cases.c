// SPDX-License-Identifier: MIT
// Memory consistency errors of one-sided communication, written anew. They are the figures and the
// five wrong programs of Chen and others, MC-Checker: Detecting Memory Consistency Errors in MPI
// One-Sided Applications. Arguments: which, or all; with a second one the corrected version. Three
// processes.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8 };
static MPI_Win win;
static double *memory; // of the window
static int rank, right;

static void figure_2a(double *mine) {
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(mine, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, win);
  if (!right) mine[0] = 8;
  MPI_Win_fence(0, win);
  if (right) mine[0] = 8;
}

static void figure_2b(double *mine) {
  MPI_Group all, peers;
  int origins[] = {0, 2}, target = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, rank == target ? 2 : 1, rank == target ? origins : &target, &peers);
  if (rank == target) {
    MPI_Win_post(peers, 0, win);
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(peers, 0, win);
    MPI_Put(mine, 2, MPI_DOUBLE, target, right ? rank : 0, 2, MPI_DOUBLE, win);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&peers);
  MPI_Group_free(&all);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void figure_2c(double *mine) {
  int lock = right ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(lock, 1, 0, win);
    MPI_Put(mine, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, win);
    MPI_Win_unlock(1, win);
  } else if (rank == 2) {
    MPI_Win_lock(lock, 1, 0, win);
    MPI_Get(mine, 2, MPI_DOUBLE, 1, 1, 2, MPI_DOUBLE, win);
    MPI_Win_unlock(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void figure_2d(double *mine) {
  int lock = right ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(lock, 1, 0, win);
    MPI_Put(mine, 1, MPI_DOUBLE, 1, 1, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(1, win);
  } else if (rank == 1) {
    MPI_Win_lock(lock, 1, 0, win);
    memory[1] = 5;
    MPI_Win_unlock(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void figure_3(double *mine) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(mine, 1, MPI_DOUBLE, 1, 2, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(1, win);
    MPI_Send(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
  } else if (rank == 2) {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (right) MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  } else {
    if (right) MPI_Recv(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memory[2] = 7;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void emulate(double *mine) {
  if (rank != 0) return;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Get(mine, 2, MPI_DOUBLE, 1, 3, 2, MPI_DOUBLE, win);
  if (right) MPI_Win_unlock(1, win);
  if (mine[0] < 2) mine[1] = 2;
  if (!right) MPI_Win_unlock(1, win);
}

static void broadcast_tree(double *mine) {
  mine[0] = 0;
  MPI_Win_fence(0, win);
  for (int tries = 0; tries < 3; tries++) { // in the program forever
    if (rank == 1) MPI_Get(mine, 1, MPI_DOUBLE, 0, 4, 1, MPI_DOUBLE, win);
    if (right) MPI_Win_fence(0, win);
    if (mine[0] > 0) break;
  }
  MPI_Win_fence(0, win);
}

static void lockopts(double *mine) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Put(&mine[0], 1, MPI_DOUBLE, 1, 5, 1, MPI_DOUBLE, win);
    MPI_Get(&mine[1], 1, MPI_DOUBLE, 1, 6, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(1, win);
  } else if (rank == 1) {
    if (right) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    memory[6] = memory[5] + 1;
    if (right) MPI_Win_unlock(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void ping_pong(double *mine) {
  for (int turn = 0; turn < 2; turn++) {
    if (rank == turn || (!right && rank == 1 - turn)) {
      MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
      MPI_Put(mine, 2, MPI_DOUBLE, 2, 4, 2, MPI_DOUBLE, win);
      MPI_Win_unlock(2, win);
    }
    if (right) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void jacobi(double *mine) {
  for (int step = 0; step < 3; step++) {
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Put(mine, 2, MPI_DOUBLE, 1, 6, 2, MPI_DOUBLE, win);
    if (right) MPI_Win_fence(0, win);
    if (rank == 2) MPI_Get(mine, 2, MPI_DOUBLE, 1, 6, 2, MPI_DOUBLE, win);
  }
  MPI_Win_fence(0, win);
}

static const struct {
  const char *name;
  void (*does)(double *mine);
} cases[] = {
    {"figure-2a", figure_2a},         {"figure-2b", figure_2b},
    {"figure-2c", figure_2c},         {"figure-2d", figure_2d},
    {"figure-3", figure_3},           {"emulate", emulate},
    {"BT-broadcast", broadcast_tree}, {"lockopts", lockopts},
    {"ping-pong", ping_pong},         {"jacobi", jacobi},
};

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "all";
  double *mine = calloc(2, sizeof *mine);
  right = argc > 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int i = 0; i < N; i++) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (strcmp(which, "all") != 0 && strcmp(which, cases[i].name) != 0) continue;
    mine[0] = mine[1] = 0;
    cases[i].does(mine);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  free(mine);
}
