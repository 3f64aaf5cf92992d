// SPDX-License-Identifier: MIT
// The end of a process without exit handlers. Open MPI ends a process in this way if it calls MPI
// after MPI_Finalize.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

// A function of the wrapper, which is missing in programs without it.
extern void mpipp_intercept_check_late_exit(void) __attribute__((weak));

static void (*exit_next)(int);

__attribute__((constructor)) static void find(void) {
  *(void **)&exit_next = dlsym(RTLD_NEXT, "_exit");
}

__attribute__((visibility("default"))) void _exit(int status) {
  if (mpipp_intercept_check_late_exit) mpipp_intercept_check_late_exit();
  if (exit_next) exit_next(status);
  for (;;) syscall(SYS_exit_group, status);
}
