// SPDX-License-Identifier: MIT
// Error handlers that leave MPI by a jump. Others continue inside MPI, on the stacks of a signal
// handler and of a coroutine.
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "../mark.h"

static jmp_buf out;
static ucontext_t inside, coroutine;
static const char *how;

static void in_coroutine(void) {
  mark();
  swapcontext(&coroutine, &inside);
}

static void on_signal(int number) {
  (void)number;
  mark();
}

static void handler(MPI_Comm *failed, int *code, ...) {
  (void)failed, (void)code;
  if (strcmp(how, "jump") == 0) longjmp(out, 1);
  if (strcmp(how, "coroutine") == 0) swapcontext(&inside, &coroutine);
  if (strcmp(how, "signal") == 0) raise(SIGUSR1);
  if (strcmp(how, "stay") == 0) mark();
}

// The handler runs far from the other stacks, so that nothing overwrites the call's frame.
__attribute__((noinline)) static void fail(MPI_Comm comm, int deep) {
  volatile char frame[512];
  int data = 0;
  frame[0] = 0;
  if (deep) fail(comm, deep - 1);
  if (!deep) MPI_Send(&data, 1, MPI_INT, 99, 1, comm);
  frame[1] = 0;
}

int main(int argc, char **argv) {
  char room[1 << 16];
  static char signal_room[1 << 16];
  stack_t other = {.ss_sp = signal_room, .ss_size = sizeof signal_room};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  MPI_Comm comm;
  MPI_Errhandler errhandler;
  how = argv[1];
  sigaltstack(&other, NULL);
  sigaction(SIGUSR1, &action, NULL);
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = room;
  coroutine.uc_stack.ss_size = sizeof room;
  makecontext(&coroutine, in_coroutine, 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(handler, &errhandler);
  MPI_Comm_set_errhandler(comm, errhandler);
  if (!setjmp(out)) fail(comm, 20);
  mark();
  MPI_Finalize();
  return 0;
}
