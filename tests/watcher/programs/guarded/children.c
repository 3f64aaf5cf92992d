// SPDX-License-Identifier: MIT
// A child with a copy of the program's memory stores to a former buffer, which stays unchanged in
// the program. A child that shares the program's files only loads. In a fork within a fork both
// children have copies, and the first continues its fork. One process.
#define _GNU_SOURCE
#include <linux/sched.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1 << 16, STACK = 1 << 16 };

static _Alignas(4096) char out[N], in[N], stack[STACK];
static int only_loads, forks_within, is_inner;
extern pid_t _Fork(void) __attribute__((weak));

// Returns whether this child has mapped its parent's records file. If so, its memory is a copy.
static int has_parents_file(void) {
  char line[512];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) found |= strstr(line, "memfd:mpipp (") != NULL;
  fclose(maps);
  return found;
}

static int store(void *unused) {
  (void)unused;
  if (!only_loads) out[N / 2] = 1;
  _exit(!only_loads && has_parents_file() ? 6 : out[0]);
}

// Registered before any library's handler, this handler runs last before the process forks.
static void fork_within(void) {
  int status;
  if (!forks_within) return;
  forks_within = 0;
  pid_t child = _Fork ? _Fork() : fork();
  is_inner = !child;
  if (child) waitpid(child, &status, 0);
  if (child && WEXITSTATUS(status) != 5) fputs("the inner one has not its own memory\n", stdout);
}
static void first(void) {
  pthread_atfork(fork_within, NULL, NULL);
}
__attribute__((section(".preinit_array"), used)) static void (*const at_first)(void) = first;

static pid_t make(const char *how) {
  struct clone_args all = {.exit_signal = SIGCHLD};
  forks_within = !strcmp(how, "within");
  if (!strcmp(how, "fork") || forks_within) return fork();
  if (!strcmp(how, "_Fork")) return _Fork ? _Fork() : fork();
  if (!strcmp(how, "clone")) return clone(store, stack + STACK, SIGCHLD, NULL);
  if (!strcmp(how, "files")) return (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_FILES, 0, 0, 0, 0L);
  if (!strcmp(how, "SYS_fork")) return (pid_t)syscall(SYS_fork);
  if (!strcmp(how, "SYS_clone")) return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0L);
  return (pid_t)syscall(SYS_clone3, &all, sizeof all);
}

int main(int argc, char **argv) {
  MPI_Request request;
  int status;
  MPI_Init(&argc, &argv);
  memset(out, 5, N);
  only_loads = !strcmp(argv[1], "files");
  for (int i = 0; i < 2; i++) {
    MPI_Isend(out, N, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
    MPI_Recv(in, N, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pid_t child = make(argv[1]);
    if (!child) store(NULL);
    waitpid(child, &status, 0);
    if (is_inner) store(NULL);
    printf("%d %d\n", WEXITSTATUS(status), out[N / 2]);
  }
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
