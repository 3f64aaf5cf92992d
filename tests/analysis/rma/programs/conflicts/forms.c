// SPDX-License-Identifier: MIT
// One-sided operations in all their forms, all correct: no two of them conflict. Three processes.
// In one process, several threads use a window at the same time.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { N = 16 };
static MPI_Comm all;
static MPI_Win win;
static int *memory, rank, next;

// Each process writes to its own part of the window.
static void with_requests(void) {
  int out[2] = {rank, rank}, in[2], result[2];
  MPI_Request requests[4];
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Rput(out, 2, MPI_INT, next, 2 * rank, 2, MPI_INT, win, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Win_flush(next, win);
  out[0] = 7; // the request is complete
  MPI_Rget(in, 2, MPI_INT, next, 2 * rank, 2, MPI_INT, win, &requests[0]);
  MPI_Raccumulate(out, 1, MPI_INT, next, 8, 1, MPI_INT, MPI_SUM, win, &requests[1]);
  MPI_Rget_accumulate(out, 1, MPI_INT, result, 1, MPI_INT, next, 8, 1, MPI_INT, MPI_SUM, win,
                      &requests[2]);
  MPI_Rget_accumulate(NULL, 0, MPI_INT, result + 1, 1, MPI_INT, next, 8, 1, MPI_INT, MPI_NO_OP, win,
                      &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Barrier(all);
}

// A ticket, and a lock that the program implements itself.
static void counters(void) {
  int one = 1, none = 0, ticket = -1, before;
  MPI_Win_lock_all(0, win);
  MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 9, MPI_SUM, win);
  MPI_Win_flush(0, win);
  MPI_Put(&ticket, 1, MPI_INT, 0, 10 + ticket, 1, MPI_INT, win);
  MPI_Win_flush(0, win);
  do {
    MPI_Compare_and_swap(&one, &none, &before, MPI_INT, 0, 13, win);
    MPI_Win_flush(0, win);
  } while (before != 0);
  MPI_Get(&ticket, 1, MPI_INT, 0, 14, 1, MPI_INT, win);
  MPI_Win_flush(0, win);
  ticket++;
  MPI_Put(&ticket, 1, MPI_INT, 0, 14, 1, MPI_INT, win);
  MPI_Win_flush(0, win);
  MPI_Accumulate(&none, 1, MPI_INT, 0, 13, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Win_flush(0, win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(all);
}

static void dynamic(void) {
  static int mine[4];
  MPI_Aint where, there;
  MPI_Win dynamic_window;
  MPI_Win_create_dynamic(MPI_INFO_NULL, all, &dynamic_window);
  MPI_Win_attach(dynamic_window, mine, sizeof mine);
  MPI_Get_address(mine, &where);
  MPI_Sendrecv(&where, 1, MPI_AINT, (rank + 2) % 3, 0, &there, 1, MPI_AINT, next, 0, all,
               MPI_STATUS_IGNORE);
  MPI_Win_fence(0, dynamic_window);
  MPI_Put(&rank, 1, MPI_INT, next, there, 1, MPI_INT, dynamic_window);
  MPI_Win_fence(0, dynamic_window);
  MPI_Put(&rank, 1, MPI_INT, next, there, 1, MPI_INT, dynamic_window);
  MPI_Win_fence(0, dynamic_window);
  MPI_Win_detach(dynamic_window, mine);
  MPI_Win_free(&dynamic_window);
}

// Each process has windows of its own, all at the same time.
static void alone(void) {
  MPI_Win own;
  int value = rank, got;
  MPI_Win_create(&got, sizeof got, 1, MPI_INFO_NULL, MPI_COMM_SELF, &own);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, own);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, own);
  MPI_Win_unlock(0, own);
  MPI_Win_free(&own);
}

static void in_shared_memory(void) {
  MPI_Win shared;
  int *part;
  MPI_Win_allocate_shared(4 * sizeof *part, sizeof *part, MPI_INFO_NULL, all, &part, &shared);
  MPI_Win_lock_all(0, shared);
  part[0] = rank;
  MPI_Win_sync(shared);
  MPI_Barrier(all);
  MPI_Win_sync(shared);
  MPI_Put(&rank, 1, MPI_INT, next, 1, 1, MPI_INT, shared);
  MPI_Win_unlock_all(shared);
  MPI_Win_free(&shared);
}

static void *puts_its_part(void *argument) {
  int part = *(int *)argument;
  for (int i = 0; i < 20; i++) {
    MPI_Put(&part, 1, MPI_INT, next, part, 1, MPI_INT, win);
    MPI_Win_flush(next, win);
  }
  return NULL;
}

static void threads(void) {
  pthread_t others[2];
  int parts[2] = {2 * rank, 2 * rank + 1};
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 2; i++) pthread_create(&others[i], NULL, puts_its_part, &parts[i]);
  for (int i = 0; i < 2; i++) pthread_join(others[i], NULL);
  MPI_Win_unlock_all(win);
  MPI_Barrier(all);
}

static void in_halves(void) {
  MPI_Datatype column;
  int out[8] = {0};
  MPI_Type_vector(4, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  if (rank == 1) MPI_Put(out, 4, MPI_INT, 0, 0, 1, column, win);
  if (rank == 2) MPI_Put(out, 1, column, 0, 1, 1, column, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Type_free(&column);
}

// Arrays without elements have no address.
static void asked(void) {
  MPI_Comm point;
  int *nowhere = (int *)8;
  MPI_Cart_create(MPI_COMM_SELF, 0, NULL, NULL, 0, &point);
  MPI_Cart_get(point, 0, nowhere, nowhere, nowhere);
  MPI_Comm_free(&point);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_rank(all, &rank);
  next = (rank + 1) % 3;
  MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, all, &memory, &win);
  memset(memory, 0, N * sizeof *memory);
  MPI_Barrier(all);
  with_requests();
  counters();
  dynamic();
#ifndef OPEN_MPI // 4.1 makes no windows of one process
  alone();
#endif
  in_shared_memory();
  in_halves();
  asked();
  if (provided == MPI_THREAD_MULTIPLE) threads();
  MPI_Win_free(&win);
  MPI_Comm_free(&all);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
}
