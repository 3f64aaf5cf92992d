// SPDX-License-Identifier: MIT
// Signals come while the wrapper holds its lock, and their handler forks. The wrapper holds the
// lock when it calls madvise, after it has replaced a table.
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 3000 };
static pid_t child = -1;
static volatile int armed = 0;

static void on_signal(int number) {
  (void)number;
  child = fork();
}

int madvise(void *address, size_t length, int advice) {
  if (armed) {
    armed = 0;
    raise(SIGUSR1);
  }
  return (int)syscall(SYS_madvise, address, length, advice);
}

int main(void) {
  static MPI_Info infos[MANY];
  int keys = 0, status = -1;
  MPI_Init(NULL, NULL);
  signal(SIGUSR1, on_signal);
  armed = 1;
  for (int i = 0; i < MANY; i++) MPI_Info_create(&infos[i]);
  if (armed || child == -1) return 1;
  for (int i = 0; i < MANY; i++) {
    MPI_Info_set(infos[i], "key", "value");
    MPI_Info_get_nkeys(infos[i], &status);
    keys += status;
    MPI_Info_free(&infos[i]);
  }
  if (child == 0) _exit(keys == MANY ? 7 : 8);
  waitpid(child, &status, 0);
  printf("%d keys, the child ended with %d\n", keys, WEXITSTATUS(status));
  MPI_Finalize();
  return 0;
}
