// SPDX-License-Identifier: MIT
// A program that dies in the way its argument names, in main or in another function.
#include <assert.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void store(volatile int *where) {
  *where = 1;
}

static void again(int number) { // MPI libraries install such handlers
  signal(number, SIG_DFL);
  raise(number);
}

int main(int argc, char **argv) {
  static int out, in;
  MPI_Init(&argc, &argv);
  signal(SIGABRT, SIG_DFL);
  signal(SIGSEGV, strcmp(argv[1], "handler") ? SIG_DFL : again);
  if (!strcmp(argv[1], "killed-again")) signal(SIGABRT, again);
  if (!strcmp(argv[1], "store") || !strcmp(argv[1], "handler")) store(NULL);
  if (!strcmp(argv[1], "abort")) abort();
  if (!strcmp(argv[1], "assert")) assert(argc < 2);
  if (!strcmp(argv[1], "call"))
    MPI_Sendrecv(&out, 4, MPI_INT, 0, 5, (void *)16, 4, MPI_INT, 0, 5, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
  if (!strncmp(argv[1], "killed", 6) && fork() == 0) {
    kill(getppid(), SIGABRT);
    _exit(0);
  }
  for (;;) pause();
}
