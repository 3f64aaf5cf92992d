// SPDX-License-Identifier: MIT
// Correct. Threads use one window at the same time, and a thread waits in MPI for an effect of
// another thread's operations. Two processes. Argument: rounds.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, N = 8, COUNTER = THREADS * N, SUM, WORDS = SUM + 7 };
static int rank, rounds, is_wrong;
static MPI_Win window, other;

static void need(int is_true, int line) {
  if (is_true || __atomic_exchange_n(&is_wrong, 1, __ATOMIC_RELAXED)) return;
  fprintf(stderr, "rank %d: line %d\n", rank, line);
}
#define NEED(x) need(x, __LINE__)

static void fill(int *values, int with) {
  for (int i = 0; i < N; i++) values[i] = with + i;
}

// This thread uses a part of the other process's window; all threads use the counter and the sum.
static void *use(void *argument) {
  int thread = (int)(size_t)argument, target = 1 - rank, first = thread * N;
  int out[N], in[N], one = 1, before, last = -1;
  MPI_Request request;
  for (int round = 0; round < rounds; round++) {
    int value = 1000 * round + 100 * thread;
    fill(out, value);
    fill(in, -1);
    if (round % 3 == 0) {
      MPI_Rput(out, N, MPI_INT, target, first, N, MPI_INT, window, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Put(out, N, MPI_INT, target, first, N, MPI_INT, window);
      MPI_Win_flush_local(target, window);
    }
    fill(out, -5); // it was taken
    MPI_Fetch_and_op(&one, &before, MPI_INT, target, COUNTER, MPI_SUM, window);
    MPI_Accumulate(&one, 1, MPI_INT, target, SUM, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(target, window);
    NEED(before > last && before < THREADS * rounds);
    last = before;
    MPI_Get(in, N, MPI_INT, target, first, N, MPI_INT, window);
    MPI_Win_flush(target, window);
    for (int i = 0; i < N; i++) NEED(in[i] == value + i);
  }
  return NULL;
}

// The other process exposes its memory when another thread of this process has sent a message.
static void *waits_for_post(void *argument) {
  int target = 1 - rank, value = 17;
  MPI_Group world, group;
  (void)argument;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &target, &group);
  MPI_Win_start(group, 0, other);
  MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, other);
  MPI_Win_complete(other);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return NULL;
}

static void one_waits(int *memory) {
  int value = 3, first = 0;
  MPI_Group world, group;
  pthread_t thread;
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    pthread_create(&thread, NULL, waits_for_post, NULL);
    for (int i = 0; i < 20; i++) {
      MPI_Put(&value, 1, MPI_INT, 1, i % N, 1, MPI_INT, window);
      MPI_Win_flush(1, window);
    }
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &first, &group);
    MPI_Win_post(group, 0, other);
    MPI_Win_wait(other);
    NEED(memory[0] == 17);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
  }
  MPI_Win_unlock_all(window);
}

int main(int argc, char **argv) {
  int level, *memory, *others, all_wrong;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  rounds = argc > 1 ? atoi(argv[1]) : 30;
  if (level < MPI_THREAD_MULTIPLE) return printf("no threads\n"), MPI_Finalize();
  MPI_Win_allocate(WORDS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &window);
  MPI_Win_allocate(16, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &others, &other);
  for (int i = 0; i < WORDS; i++) memory[i] = 0;
  others[0] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  for (size_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, use, (void *)i);
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  NEED(memory[COUNTER] == THREADS * rounds && memory[SUM] == THREADS * rounds);
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  one_waits(others);
  MPI_Allreduce(&is_wrong, &all_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf(all_wrong ? "wrong\n" : "fine\n");
  MPI_Win_free(&other);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
