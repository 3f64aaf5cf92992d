// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "guard/careful.h"

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

void (*mpipp_careful_begins)(void);
// Where the thread goes on from work that it gives up.
static __thread void **place __attribute__((tls_model("initial-exec")));

__attribute__((noinline)) int mpipp_carefully(void (*work)(void *argument), void *argument) {
  void *here[5];
  mpipp_careful_begins();
  if (__builtin_setjmp(here)) return 0;
  place = here;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  work(argument);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  place = NULL;
  return 1;
}

__attribute__((noinline, noreturn)) static void escape(void) {
  void **to = place;
  place = NULL;
  __builtin_longjmp(to, 1);
}

// The thread is made to call `escape` once it has left the handler, with its signal mask as before.
int mpipp_careful_gives_up(void *context) {
#ifdef __x86_64__
  enum { RED_ZONE = 128, ALIGNED = 16, RETURN = 8 };
  if (!place) return 0;
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
