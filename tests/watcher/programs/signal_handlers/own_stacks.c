// SPDX-License-Identifier: MIT
// Correct receives into buffers on coroutines' stacks. "heap": these stacks are blocks of the
// process's heap, which grows while MPI is used. "frame": they lie in a frame of the same thread;
// "thread": in a frame of another thread. Errors: "gone" uses the stack of a function that has
// returned; "thread_gone" that of another thread. One process.
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { N = 100, BYTES = 1 << 18 };

static ucontext_t outer, inner[2];

static void receives(void) {
  double data[N] = {0};
  MPI_Request request;
  MPI_Irecv(data, N, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &request);
  swapcontext(&inner[0], &outer);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("%g %g\n", data[0], data[N - 1]);
}

static void sends(void) {
  double data[N];
  for (int i = 0; i < N; i++) data[i] = i + 1;
  MPI_Send(data, N, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
}

static void begin(int i, char *stack, void (*function)(void)) {
  getcontext(&inner[i]);
  inner[i].uc_stack.ss_sp = stack;
  inner[i].uc_stack.ss_size = BYTES;
  inner[i].uc_link = &outer;
  makecontext(&inner[i], function, 0);
  swapcontext(&outer, &inner[i]);
}

// The stack of the sending coroutine is at a higher address.
static void run(char *low, char *high) {
  begin(0, low, receives);
  begin(1, high, sends);
  swapcontext(&outer, &inner[0]);
}

static void *in_frame(void *unused) {
  char stacks[2][BYTES];
  run(stacks[0], stacks[1]);
  return unused;
}

static void in_heap(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  char *stacks = malloc(2 * BYTES);
  run(stacks, stacks + BYTES);
  free(stacks);
}

__attribute__((noinline)) static void posts(MPI_Request *request) {
  double data[N] = {0};
  MPI_Irecv(data, N, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, request);
}

static void *leaves(void *unused) {
  MPI_Request request;
  posts(&request);
  sends();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return unused;
}

static void by_thread(void *(*function)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  if (strcmp(argv[1], "heap") == 0) in_heap();
  if (strcmp(argv[1], "frame") == 0) in_frame(NULL);
  if (strcmp(argv[1], "thread") == 0) by_thread(in_frame);
  if (strcmp(argv[1], "gone") == 0) leaves(NULL);
  if (strcmp(argv[1], "thread_gone") == 0) by_thread(leaves);
  MPI_Finalize();
  return 0;
}
