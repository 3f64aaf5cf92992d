// SPDX-License-Identifier: MIT
// Cases of a paper on memory consistency errors, written anew from its description: those in which
// loads and stores take part. With an argument all are as they should be. Three processes.
#include <mpi.h>
#include <stdio.h>

enum { N = 8 };
static MPI_Win win;
static double *memory;
static int rank, right;

// By pointers of which the compiler does not know where to.
static double *volatile place;
#define set(PLACE, VALUE) (place = (PLACE), *(volatile double *)place = (VALUE))
#define get(PLACE) (place = (PLACE), *(const volatile double *)place)

// Figure 2 a: the buffer of a put is changed within the epoch.
static void figure_2a(void) {
  double buf[2] = {1, 2};
  MPI_Win_fence(0, win);
  if (rank == 0) {
    MPI_Put(buf, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, win);
    if (!right) set(buf, 8);
  }
  MPI_Win_fence(0, win);
  if (right) set(buf, 8);
}

// Figure 2 d: a target stores to what another puts to; locks that are shared keep nobody off.
static void figure_2d(void) {
  double value = 4;
  int lock = right ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(lock, 1, 0, win);
    MPI_Put(&value, 1, MPI_DOUBLE, 1, 1, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(1, win);
  } else if (rank == 1) {
    MPI_Win_lock(lock, 1, 0, win);
    set(&memory[1], 5);
    MPI_Win_unlock(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Figure 3: a put and a store in the same region of three processes, of which two have agreed.
static void figure_3(void) {
  double value = 6;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&value, 1, MPI_DOUBLE, 1, 2, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(1, win);
    MPI_Send(&value, 1, MPI_DOUBLE, 2, 3, MPI_COMM_WORLD);
  } else if (rank == 2) {
    MPI_Recv(&value, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (right) MPI_Send(&value, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
  } else {
    if (right) MPI_Recv(&value, 1, MPI_DOUBLE, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    set(&memory[2], 7);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// emulate: what a get brings is looked at, and changed, before the lock is given back.
static void emulate(void) {
  double out = 1;
  if (rank != 0) return;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Get(&out, 1, MPI_DOUBLE, 1, 3, 1, MPI_DOUBLE, win);
  if (right) MPI_Win_unlock(1, win);
  if (get(&out) < 2) set(&out, 2);
  if (!right) MPI_Win_unlock(1, win);
}

// BT-broadcast: waits in the epoch for what comes at its end.
static void broadcast_tree(void) {
  double check = 0;
  MPI_Win_fence(0, win);
  for (int i = 0; rank == 1 && i < 3; i++) { // the program that was found waits for ever
    MPI_Get(&check, 1, MPI_DOUBLE, 0, 4, 1, MPI_DOUBLE, win);
    if (right) MPI_Win_fence(0, win);
    if (get(&check) > 0) break;
  }
  for (int i = 0; rank != 1 && right && i < 3; i++) MPI_Win_fence(0, win);
  MPI_Win_fence(0, win);
}

// lockopts: the target looks at its memory, and changes it, without the lock that others take.
static void lockopts(void) {
  double value = 9;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    if (right) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    double now = get(&memory[5]);
    set(&memory[5], now + 1);
    if (right) MPI_Win_unlock(1, win);
  } else {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Put(&value, 1, MPI_DOUBLE, 1, 5, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  (void)argv;
  right = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int i = 0; i < N; i++) set(&memory[i], 0);
  MPI_Barrier(MPI_COMM_WORLD);
  figure_2a();
  figure_2d();
  figure_3();
  emulate();
  broadcast_tree();
  lockopts();
  MPI_Win_free(&win);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
}
