// SPDX-License-Identifier: MIT
// A buffer on the stack of a coroutine, which is a block of malloc's or static memory. "wrong": its
// function returns before the operation is complete, and others use that stack.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { N = 16384, BYTES = 1 << 20 };

static ucontext_t outer, inner;
static int wrong;
static MPI_Request request;

static void end(void) {
  MPI_Send(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void post(void) {
  double data[N];
  for (int i = 0; i < N; i++) data[i] = i;
  MPI_Issend(data, N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request);
  if (!wrong) end();
}

__attribute__((noinline)) static int deep(int n) {
  volatile char more[1000];
  more[5] = (char)n;
  return n ? deep(n - 1) + more[5] : 0;
}

static void run(void) {
  post();
  deep(100);
  if (wrong) end();
}

static void on(char *stack) {
  getcontext(&inner);
  inner.uc_stack.ss_sp = stack;
  inner.uc_stack.ss_size = BYTES;
  inner.uc_link = &outer;
  makecontext(&inner, run, 0);
  swapcontext(&outer, &inner);
}

int main(int argc, char **argv) {
  static char fixed[BYTES];
  static double in[N];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  wrong = strcmp(argv[1], "wrong") == 0;
  if (rank == 0) {
    char *stack = strcmp(argv[2], "malloc") == 0 ? malloc(BYTES) : fixed;
    on(stack);
    if (stack != fixed) free(stack);
    fputs("done\n", stdout);
  } else {
    MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, N, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
