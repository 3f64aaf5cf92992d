// SPDX-License-Identifier: MIT
// Conflicts whose advice depends on their epochs, each in a function of its own. Three processes.
#include <mpi.h>
#include <stdio.h>

enum { N = 8 };
static MPI_Win win;
static MPI_Group target, origins, all;
static int mine[N], other[N], *memory, rank;

// Accesses through pointers whose targets the compiler does not know.
static int *volatile place;
#define set(PLACE, VALUE) (place = (PLACE), *(volatile int *)place = (VALUE))
#define put(FROM) MPI_Put(FROM, 1, MPI_INT, 1, 0, 1, MPI_INT, win)
#define get(TO) MPI_Get(TO, 1, MPI_INT, 1, 0, 1, MPI_INT, win)
#define lock() MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win)

static void fence_buffer(void) {
  MPI_Win_fence(0, win);
  if (rank == 0) put(mine), set(mine, 1);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void start_buffer(void) {
  if (rank == 0) MPI_Win_start(target, 0, win), put(mine), set(mine, 1), MPI_Win_complete(win);
  if (rank == 2) MPI_Win_start(target, 0, win), MPI_Win_complete(win);
  if (rank == 1) MPI_Win_post(origins, 0, win), MPI_Win_wait(win);
}

static void lock_buffer(void) {
  if (rank == 0) lock(), put(mine), set(mine, 1), MPI_Win_unlock(1, win);
}

static void request_buffer(void) {
  MPI_Request request;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Rput(mine, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
    set(mine, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(win);
}

static void two_buffers(void) {
  if (rank == 0) lock(), get(mine), get(mine), MPI_Win_unlock(1, win);
}

static void flushed(void) {
  MPI_Win_lock_all(0, win);
  if (rank != 1) put(mine), MPI_Win_flush_all(win);
  MPI_Win_unlock_all(win);
}

static void not_flushed(void) {
  MPI_Win_lock_all(0, win);
  if (rank != 1) put(mine);
  MPI_Win_unlock_all(win);
}

static void told_too_early(void) {
  if (rank == 0) lock(), get(mine), MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1)
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), set(memory, 1);
  if (rank == 0) MPI_Win_unlock(1, win);
}

static void exposed(void) {
  if (rank != 1) MPI_Win_start(target, 0, win);
  if (rank == 0) put(mine);
  if (rank != 1) MPI_Win_complete(win);
  if (rank == 1) MPI_Win_post(origins, 0, win), set(memory, 1), MPI_Win_wait(win);
}

static void started_again(void) {
  if (rank != 1) MPI_Win_start(target, 0, win);
  if (rank == 0) put(mine);
  if (rank != 1) MPI_Win_complete(win);
  if (rank == 0) lock(), put(other), MPI_Win_unlock(1, win);
  if (rank == 0) MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Win_post(origins, 0, win), MPI_Win_wait(win);
  if (rank == 1) MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void within_a_lock(void) {
  if (rank == 0) lock(), put(mine), get(other), MPI_Win_unlock(1, win);
}

static void within_a_start(void) {
  if (rank != 1) MPI_Win_start(target, 0, win);
  if (rank == 0) put(mine), get(other);
  if (rank != 1) MPI_Win_complete(win);
  if (rank == 1) MPI_Win_post(origins, 0, win), MPI_Win_wait(win);
}

static void accumulated(void) {
  MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Accumulate(mine, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
  if (rank == 2) MPI_Accumulate(mine, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_PROD, win);
  if (rank != 1) MPI_Win_flush(1, win);
  MPI_Win_unlock_all(win);
}

static void only_read(void) {
  if (rank == 0) lock(), put(mine), MPI_Win_unlock(1, win);
  if (rank == 2) {
    lock();
    MPI_Fetch_and_op(NULL, mine, MPI_INT, 1, 0, MPI_NO_OP, win);
    MPI_Win_unlock(1, win);
  }
}

static void __attribute__((noinline)) from_the_stack(void) {
  int own[N] = {1};
  put(own);
}

static void gone(void) {
  if (rank == 0) lock(), from_the_stack(), MPI_Win_unlock(1, win);
}

int main(void) {
  void (*const cases[])(void) = {fence_buffer, start_buffer,  lock_buffer,   request_buffer,
                                 two_buffers,  flushed,       not_flushed,   told_too_early,
                                 exposed,      started_again, within_a_lock, within_a_start,
                                 accumulated,  only_read,     gone};
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, (int[]){1}, &target);
  MPI_Group_incl(all, 2, (int[]){0, 2}, &origins);
  MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cases[i]();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&target);
  MPI_Group_free(&origins);
  MPI_Win_free(&win);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
