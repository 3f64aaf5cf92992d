// SPDX-License-Identifier: MIT
// The program sets its own handler of SIGSEGV while an operation has a buffer. The arguments and
// signals of the handler are the same as without mpipp. "wrong": it stores to that buffer. The
// second argument is how it sets the handler.
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1 << 14 };

static double data[N];
static sigjmp_buf back;
static volatile int times;

static void handler(int number) {
  (void)number;
  times++;
  siglongjmp(back, 1);
}

static void need(int is_true, int line) {
  if (is_true) return;
  printf("line %d\n", line);
  fflush(stdout);
  _exit(1);
}
#define NEED(x) need(x, __LINE__)

static void fault(void) {
  if (!sigsetjmp(back, 1)) *(volatile int *)16 = 1;
}

static void by_sigaction(void) {
  struct sigaction own = {.sa_handler = handler}, old;
  NEED(sigaction(SIGSEGV, &own, NULL) == 0);
  fault();
  NEED(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == handler);
  own.sa_flags = SA_RESETHAND;
  NEED(sigaction(SIGSEGV, &own, NULL) == 0);
  fault();
  NEED(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
  NEED(times == 2);
}

static void by_signal(void) {
  signal(SIGSEGV, handler);
  fault();
  NEED(signal(SIGSEGV, SIG_IGN) == handler);
  raise(SIGSEGV);
  NEED(signal(SIGSEGV, SIG_DFL) == SIG_IGN);
  NEED(times == 1);
}

static void send(int is_wrong, int by) {
  MPI_Request request;
  MPI_Issend(data, N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request);
  if (by == 's') by_signal();
  if (by == 'a') by_sigaction();
  if (is_wrong) data[N / 2] = 1;
  MPI_Send(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    send(strcmp(argv[1], "wrong") == 0, argv[2][0]);
    fputs("done\n", stdout);
  } else {
    MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(data, N, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
