// SPDX-License-Identifier: MIT
// Conflicts of one-sided operations, each in its own function; with an argument, there are none.
// Three processes. Some cases are those of examples/cases.c, in one run with others.
#include <mpi.h>
#include <stdio.h>

enum { N = 8 };
static MPI_Win win;
static double *memory;
static int rank, right;

// Two origins put to the same target, which has exposed the window to both.
static void two_origins(void) {
  MPI_Group all, group;
  int origins[] = {0, 2}, target = 1;
  double mine[2] = {rank, rank};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, rank == target ? 2 : 1, rank == target ? origins : &target, &group);
  if (rank == target) {
    MPI_Win_post(group, 0, win);
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(group, 0, win);
    MPI_Put(mine, 2, MPI_DOUBLE, target, right ? rank : 0, 2, MPI_DOUBLE, win);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  MPI_Barrier(MPI_COMM_WORLD);
}

// A put and a get under shared locks.
static void shared_locks(void) {
  double mine[2] = {rank, rank};
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

// The result of a get is read before its epoch ends.
static void broadcast_tree(void) {
  double check[4] = {0};
  MPI_Win_fence(0, win);
  for (int i = 0; rank == 1 && i < 4; i++)
    MPI_Get(&check[right ? i : 0], 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}

// Two processes put to the place from which the third gets.
static void ping_pong(void) {
  double ball[2] = {rank, rank};
  for (int turn = 0; turn < 2; turn++) {
    if (rank < 2 && (!right || rank == turn)) {
      MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
      MPI_Put(ball, 2, MPI_DOUBLE, 2, 4, 2, MPI_DOUBLE, win);
      MPI_Win_unlock(2, win);
    }
    if (right) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// A process puts its border while the neighbor gets its own border, in the same step.
static void jacobi(void) {
  double border[2] = {rank, rank}, ghost[2];
  for (int step = 0; step < 3; step++) {
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Put(border, 2, MPI_DOUBLE, 1, 6, 2, MPI_DOUBLE, win);
    if (right) MPI_Win_fence(0, win);
    if (rank == 2) MPI_Get(ghost, 2, MPI_DOUBLE, 1, 6, 2, MPI_DOUBLE, win);
  }
  MPI_Win_fence(0, win);
}

// Two operations of one epoch: one writes every second element, the other several in a row.
static void one_epoch(void) {
  double out[N] = {0}, in[2];
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Win_fence(0, win);
  if (rank == 1) {
    MPI_Put(out, 4, MPI_DOUBLE, 0, 0, 1, column, win);
    if (!right) MPI_Get(in, 2, MPI_DOUBLE, 0, 3, 2, MPI_DOUBLE, win);
    if (right) MPI_Get(in, 1, MPI_DOUBLE, 0, 3, 1, MPI_DOUBLE, win);
  }
  MPI_Win_fence(0, win);
  MPI_Type_free(&column);
}

// When a message announces the put, the put is complete only at the origin.
static void told_too_early(void) {
  double mine[2] = {rank, rank};
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(mine, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, win);
    if (right) MPI_Win_flush(1, win);
    if (!right) MPI_Win_flush_local(1, win);
    MPI_Send(NULL, 0, MPI_BYTE, 2, 5, MPI_COMM_WORLD);
  } else if (rank == 2) {
    MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Get(mine, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Accumulates with different operations; and with different datatypes of one size.
static void accumulates(void) {
  double one = 1;
  long other = 1;
  MPI_Win_fence(0, win);
  if (rank == 1 || right)
    MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, win);
  else
    MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_MAX, win);
  MPI_Win_fence(0, win);
  if (rank == 1)
    MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, MPI_SUM, win);
  else
    MPI_Accumulate(&other, 1, MPI_LONG, 0, right ? 2 : 1, 1, MPI_LONG, MPI_SUM, win);
  MPI_Win_fence(0, win);
}

int main(int argc, char **argv) {
  (void)argv;
  right = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  two_origins();
  shared_locks();
  broadcast_tree();
  ping_pong();
  jacobi();
  one_epoch();
  told_too_early();
  accumulates();
  MPI_Win_free(&win);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
}
