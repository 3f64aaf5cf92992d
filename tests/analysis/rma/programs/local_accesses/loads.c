// SPDX-License-Identifier: MIT
// Data races of loads and stores of window memory; with an argument, all are ordered. Two
// processes.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 512, PAGES = 6, N = PAGE * PAGES };
static MPI_Win win;
static double *memory, mine[N];
static int rank, right;

__attribute__((noinline)) static double sum(const double *of, long count) {
  double all = 0;
  for (long i = 0; i < count; i++) all += of[i];
  return all;
}

// Rank 1 sums up the data that rank 0 puts.
static double reads(void) {
  double all = 0;
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(mine, 8, MPI_DOUBLE, 1, 2 * PAGE + 4, 8, MPI_DOUBLE, win);
  if (rank == 1) all = sum(memory + (right ? 3 : 2) * PAGE, 10);
  MPI_Win_fence(0, win);
  return all + sum(memory, N);
}

__attribute__((noinline)) static void set(double *at, double value) {
  *at = value;
}

// Rank 1 stores to the memory that rank 0 gets from.
static void writes(void) {
  MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Get(mine, 8, MPI_DOUBLE, 1, 4 * PAGE + 16, 8, MPI_DOUBLE, win);
  if (rank == 1) {
    set(memory + 4 * PAGE, 1);
    set(memory + 4 * PAGE + (right ? 1 : 23), 2);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

// The same store, in a function of the C library.
static void copies(void) {
  MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Get(mine, 8, MPI_DOUBLE, 1, 5 * PAGE, 8, MPI_DOUBLE, win);
  if (rank == 1) memcpy(memory + 5 * PAGE + (right ? 8 : 0), mine, 32 * sizeof *mine);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

// The same store, in a system call.
static void receives(void) {
  double some[4] = {1, 2, 3, 4};
  int ends[2];
  if (pipe(ends) || write(ends[1], some, sizeof some) != sizeof some) abort();
  MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Get(mine, 8, MPI_DOUBLE, 1, PAGE, 8, MPI_DOUBLE, win);
  if (rank == 1 && read(ends[0], memory + PAGE + (right ? 8 : 6), sizeof some) != sizeof some)
    abort();
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  close(ends[0]);
  close(ends[1]);
}

// A word beside the put bytes: some functions load more bytes than they need.
static unsigned long reads_words(void) {
  static char word[] = "word";
  char *volatile words = (char *)memory;
  unsigned long length = 0;
  MPI_Win_fence(0, win);
  strcpy(words, word);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Put(mine, 1, MPI_DOUBLE, 1, 1, 1, MPI_DOUBLE, win);
  if (rank == 1) length = strlen(words) + (strchr(words, 'd') != NULL);
  MPI_Win_fence(0, win);
  return length;
}

static void *sum_up(void *result) {
  *(double *)result = sum(memory, N);
  return NULL;
}

// A thread, a child process and MPI load from the window.
static double others(void) {
  double found = 0, back = 0;
  pthread_t thread;
  MPI_Win_fence(0, win);
  for (int i = 0; i < N; i++) memory[i] = i % 7;
  if (pthread_create(&thread, NULL, sum_up, &found) || pthread_join(thread, NULL)) abort();
  pid_t child = fork();
  if (child == 0) _exit(sum(memory, N) == found ? 0 : 1);
  int status = 1;
  if (waitpid(child, &status, 0) != child || status) abort();
  MPI_Sendrecv(memory, PAGE + 3, MPI_DOUBLE, 1 - rank, 0, memory + 2 * PAGE, PAGE + 3, MPI_DOUBLE,
               1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Reduce(memory + PAGE, &back, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  return found + back + sum(memory, N);
}

static double all_of_it(void) {
  memset(memory, 0, N * sizeof *memory);
  MPI_Barrier(MPI_COMM_WORLD);
  double all = reads();
  writes();
  copies();
  receives();
  all += (double)reads_words();
  return all + others();
}

// From its first thread on, mpipp also logs what orders the threads.
static void run_thread(void) {
  double found;
  pthread_t thread;
  memory = mine;
  if (pthread_create(&thread, NULL, sum_up, &found) || pthread_join(thread, NULL)) abort();
}

int main(int argc, char **argv) {
  const MPI_Aint bytes = N * sizeof *memory;
  double all = 0;
  right = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < N; i++) mine[i] = i;
  if (getenv("BEGIN_WITH_THREAD")) run_thread();
  MPI_Win_allocate(bytes, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  all = all_of_it();
  MPI_Win_free(&win);
  if (right) { // conflicts in such windows are not MPI's, but the language's
    MPI_Win_allocate_shared(bytes, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    all += all_of_it();
    MPI_Win_free(&win);
    memory = malloc((size_t)bytes);
    MPI_Win_create(memory, bytes, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    all += all_of_it();
    MPI_Win_free(&win);
    free(memory);
  }
  double every = 0;
  MPI_Reduce(&all, &every, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%g\n", every);
  MPI_Finalize();
  return 0;
}
