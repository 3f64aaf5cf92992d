// SPDX-License-Identifier: MIT
// Data races of loads and stores with window memory, and with buffers of operations on windows;
// with an argument, all are ordered. Two processes. ALLOCATES selects the kind of window.
#include <mpi.h>
#include <stdio.h>

#ifndef ALLOCATES
#define ALLOCATES MPI_Win_allocate_shared
#endif
enum { N = 64 };
static MPI_Win win;
static double *memory, mine[N];
static int rank, right;

// Rank 1 sums up its window while rank 0 puts to a part of it.
__attribute__((noinline)) static double sum(const double *of, long count) {
  double all = 0;
  for (long i = 0; i < count; i++) all += of[i];
  return all;
}

static double sums_too_early(void) {
  double all = 0;
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(mine, 8, MPI_DOUBLE, 1, 16, 8, MPI_DOUBLE, win);
  if (rank == 1) all = sum(memory, right ? 16 : N);
  MPI_Win_fence(0, win);
  return all + sum(memory, N);
}

// The program sets every second element while MPI gets one of them.
__attribute__((noinline)) static void set_others(double *of, long count) {
  for (long i = 0; i < count; i++) of[2 * i] = (double)i;
}

static void sets_too_early(void) {
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Get(mine, 3, MPI_DOUBLE, 1, right ? 9 : 7, right ? 1 : 3, MPI_DOUBLE, win);
  if (rank == 1) set_others(memory, 5);
  MPI_Win_fence(0, win);
}

// The program reuses the buffer of a put, and reads that of a get, before they are complete.
__attribute__((noinline)) static void set(double *at, double value) {
  *at = value;
}

__attribute__((noinline)) static double get(const double *at) {
  return *(const volatile double *)at;
}

static double uses_own_too_early(void) {
  double all = 0, value = 3, got[4];
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_DOUBLE, 1, 40, 1, MPI_DOUBLE, win);
    if (right) MPI_Win_flush(1, win);
    set(&value, 4);
    MPI_Get(got, 4, MPI_DOUBLE, 1, 44, 4, MPI_DOUBLE, win);
    if (right) MPI_Win_flush_local(1, win);
    all = get(&got[2]);
  }
  MPI_Win_unlock_all(win);
  return all + (rank == 0 ? get(&got[1]) : 0);
}

// The other process's part of a shared window, by its address in this process.
static void uses_the_others_too_early(void) {
  double value = 3, *part, *others;
  MPI_Aint size;
  MPI_Win shared;
  int unit;
  ALLOCATES(N * sizeof *part, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &shared);
  MPI_Win_shared_query(shared, 1, &size, &unit, &others);
  MPI_Win_lock_all(0, shared);
  if (rank == 0) set_others(others, N / 2); // stores to all elements that are loaded below
  MPI_Win_sync(shared);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(shared);
  if (rank == 1) {
    MPI_Put(&value, 1, MPI_DOUBLE, 1, 8, 1, MPI_DOUBLE, shared);
    if (right) MPI_Win_flush(1, shared);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    get(&others[8]);
    MPI_Put(&value, 1, MPI_DOUBLE, 1, 30, 1, MPI_DOUBLE, shared);
    if (right) MPI_Win_flush(1, shared);
    set(&others[30], 0);
    MPI_Put(&others[50], 4, MPI_DOUBLE, 0, 50, 4, MPI_DOUBLE, shared); // from there
    if (right) MPI_Win_flush(0, shared);
    set(&others[52], 0);
  }
  MPI_Barrier(MPI_COMM_WORLD); // without it, a flag might tell that the put is complete
  MPI_Win_unlock_all(shared);
  MPI_Win_free(&shared);
}

int main(int argc, char **argv) {
  double all;
  right = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int i = 0; i < N; i++) memory[i] = 0;
  all = sums_too_early();
  sets_too_early();
  all += uses_own_too_early();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  uses_the_others_too_early();
  MPI_Finalize();
  if (rank == 0) printf(all < 1 ? "done\n" : "all is %g\n", all);
  return 0;
}
