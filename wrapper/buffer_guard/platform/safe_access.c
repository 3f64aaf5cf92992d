// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/platform/safe_access.h"

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

void (*mpipp_guard_try_begins)(void);
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
// The work that this thread does now, and the place where it continues if the work is abandoned.
// The next variable: whether a handler has left the work by a jump.
OF_THREAD struct mpipp_try now;
OF_THREAD int is_left;
OF_THREAD uint64_t asked; // the last address that the program's handler has seen

__attribute__((noinline)) int mpipp_guard_try(void (*work)(void *argument), void *argument) {
  void *here[5];
  mpipp_guard_try_begins();
#ifdef __x86_64__ // on other processors no work is abandoned
  if (__builtin_setjmp(here)) return 0;
#endif
  now.place = here;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  work(argument);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  now.place = NULL;
  return 1;
}

int mpipp_guard_try_deliver(void (*work)(void *argument), void *argument) {
  asked = 0;
  now.delivers = 1;
  int done = mpipp_guard_try(work, argument);
  now.delivers = 0;
  return done;
}

int mpipp_guard_try_asks_program(uint64_t address) {
  int first = now.place && now.delivers && address != asked;
  if (first) asked = address;
  return first;
}

struct mpipp_try mpipp_guard_try_suspend(void) {
  struct mpipp_try work = now;
  is_left = work.place != NULL;
  now = (struct mpipp_try){NULL, 0};
  return work;
}

void mpipp_guard_try_resume(struct mpipp_try work) {
  is_left = 0;
  now = work;
}

int mpipp_guard_try_was_abandoned(void) {
  int was = is_left;
  is_left = 0;
  return was;
}

#ifdef __x86_64__
__attribute__((noinline, noreturn)) static void escape(void) {
  void **to = now.place;
  now.place = NULL;
  __builtin_longjmp(to, 1);
}
#endif

// When the signal handler returns, the thread calls `escape`, with the signal mask that it had
// before.
int mpipp_guard_try_abandon(void *context) {
#ifdef __x86_64__
  enum { RED_ZONE = 128, ALIGNED = 16, RETURN = 8 };
  if (!now.place) return 0;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  uint64_t stack = ((uint64_t)registers[REG_RSP] - RED_ZONE) & ~(uint64_t)(ALIGNED - 1);
  registers[REG_RSP] = (greg_t)(stack - RETURN);
  registers[REG_RIP] = (greg_t)(uintptr_t)escape;
  return 1;
#else
  (void)context;
  return 0;
#endif
}
