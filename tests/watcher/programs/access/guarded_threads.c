// SPDX-License-Identifier: MIT
// Correct: threads flush others' operations, store to buffers of persistent operations that are not
// started, and fork at the same time. Prints lost data.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 300, PAGE = 4096, BUFFERS = 40, FORKS = 30 };

static MPI_Win win;
static int peer, lost;
static volatile int over;
static volatile long *volatile stored; // where the other thread counts

static void *flush(void *nothing) {
  while (!over) MPI_Win_flush(peer, win);
  return nothing;
}

static void gets(int *memory, int rank) {
  pthread_t other;
  for (int i = 0; i < ROUNDS; i++) memory[i] = 1000 * rank + i;
  MPI_Win_lock_all(0, win);
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  over = 0;
  pthread_create(&other, NULL, flush, NULL);
  for (int i = 0; i < ROUNDS; i++) {
    int got = -1;
    MPI_Get(&got, 1, MPI_INT, peer, i, 1, MPI_INT, win);
    MPI_Win_flush(peer, win);
    lost += got != 1000 * peer + i;
  }
  over = 1;
  pthread_join(other, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
}

static void *store(void *count) {
  long stores = 0;
  volatile long *at = NULL;
  while (!over) {
    volatile long *now = stored;
    if (now != at) stores = 0;
    at = now;
    if (at) *at = ++stores;
    if (at && *at != stores) ++*(int *)count;
  }
  return NULL;
}

static void inits(void) {
  pthread_t other;
  int count = 0;
  over = 0;
  pthread_create(&other, NULL, store, &count);
  char *memory = aligned_alloc(PAGE, BUFFERS * 16 * PAGE);
  for (int i = 0; i < BUFFERS; i++) {
    char *buffer = memory + i * 16 * PAGE;
    MPI_Request request;
    *(volatile long *)(buffer + 8 * PAGE) = 0;
    stored = (volatile long *)(buffer + 8 * PAGE);
    while (!*stored) continue;
    MPI_Send_init(buffer, 16 * PAGE, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
  over = 1;
  pthread_join(other, NULL);
  lost += count;
  stored = NULL;
  free(memory);
}

static void *put(void *nothing) {
  int value = 1;
  while (!over) {
    MPI_Put(&value, 1, MPI_INT, peer, ROUNDS, 1, MPI_INT, win);
    MPI_Win_flush(peer, win);
  }
  return nothing;
}

static void forks(void) {
  pthread_t other;
  MPI_Win_lock_all(0, win);
  over = 0;
  pthread_create(&other, NULL, put, NULL);
  for (int i = 0; i < FORKS; i++) {
    int status = 1;
    pid_t child = fork();
    if (!child) _exit(0);
    waitpid(child, &status, 0);
    lost += status != 0;
  }
  over = 1;
  pthread_join(other, NULL);
  MPI_Win_unlock_all(win);
}

static void say(const char *by) {
  if (lost) fprintf(stderr, "lost %d until after %s\n", lost, by);
}

int main(int argc, char **argv) {
  int rank, provided, *memory;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = 1 - rank;
  MPI_Alloc_mem((ROUNDS + 4) * sizeof(int), MPI_INFO_NULL, &memory);
  MPI_Win_create(memory, (ROUNDS + 4) * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &win);
  if (provided == MPI_THREAD_MULTIPLE) gets(memory, rank);
  say("gets");
  inits();
  say("stores");
  if (provided == MPI_THREAD_MULTIPLE) forks();
  say("forks");
  MPI_Win_free(&win);
  MPI_Free_mem(memory);
  printf("lost %d\n", lost);
  MPI_Finalize();
  return lost != 0;
}
