// SPDX-License-Identifier: MIT
// Functions that create processes with a copy of the program's memory, without calling the handlers
// of pthread_atfork.
#define _GNU_SOURCE
#include "libc_interposer/fork.h"

#ifdef __x86_64__ // on other processors no page is protected
#include <dlfcn.h>
#include <errno.h>
#include <features.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>

// Functions of the wrapper, which are missing in programs without it.
extern int mpipp_guards_buffers __attribute__((weak));
extern void mpipp_fork_begin(void) __attribute__((weak));
extern void mpipp_fork_end(int in_child) __attribute__((weak));

int mpipp_fork_prepare(void) {
  int is_told = &mpipp_guards_buffers && __atomic_load_n(&mpipp_guards_buffers, __ATOMIC_RELAXED);
  if (is_told) mpipp_fork_begin();
  return is_told;
}

void mpipp_fork_finish(int is_told, int in_child) {
  int saved = errno;
  if (is_told) mpipp_fork_end(in_child);
  errno = saved;
}

#define EXPORTED __attribute__((visibility("default")))
static int (*clone_next)(int (*)(void *), void *, int, void *, ...);

__attribute__((constructor)) static void find(void) {
  *(void **)&clone_next = dlsym(RTLD_NEXT, "clone");
}

// Programs test whether _Fork exists, so it is defined only if the C library has it. Compiled
// wrappers always define it: toolchain/prebuilt_wrapper.py hides it.
#if __GLIBC_PREREQ(2, 34) || defined MPIPP_FOR_ANY_GLIBC
static pid_t (*fork_next)(void);

__attribute__((constructor)) static void find_fork(void) {
  *(void **)&fork_next = dlsym(RTLD_NEXT, "_Fork");
}

EXPORTED pid_t _Fork(void);
EXPORTED pid_t _Fork(void) {
  if (!fork_next) find_fork();
  int is_told = mpipp_fork_prepare();
  pid_t child = fork_next();
  mpipp_fork_finish(is_told, child == 0);
  return child;
}
#endif

// The arguments of the child's function. The child has its own copy of this struct.
struct mpipp_start {
  int (*function)(void *);
  void *argument;
};

static int start(void *with) {
  const struct mpipp_start *own = with;
  mpipp_fork_finish(1, 1);
  return own->function(own->argument);
}

EXPORTED int clone(int (*function)(void *), void *stack, int flags, void *argument, ...) {
  va_list more;
  va_start(more, argument);
  void *first = va_arg(more, void *), *second = va_arg(more, void *), *third = va_arg(more, void *);
  va_end(more);
  if (!clone_next) find();
  // With CLONE_FILES, a child that closes mpipp's files would close them in the parent, too; with
  // CLONE_VM there is no copy.
  if (flags & (CLONE_VM | CLONE_FILES) || !function || !stack || !mpipp_fork_prepare())
    return clone_next(function, stack, flags, argument, first, second, third);
  struct mpipp_start own = {function, argument};
  int child = clone_next(start, stack, flags, &own, first, second, third);
  mpipp_fork_finish(1, 0);
  return child;
}
#endif
