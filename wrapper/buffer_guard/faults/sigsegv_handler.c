// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/faults/sigsegv_handler.h"

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "registry/registry.h"

// The C library's own function, by a name that other libraries do not replace.
extern int __sigaction(int number, const struct sigaction *now, struct sigaction *before);

static void (*own)(int, siginfo_t *, void *);
// The program's action for SIGSEGV. The handler reads one entry while the other is changed.
static struct sigaction programs[2];
static int current;

static int is_own(const struct sigaction *one) {
  return own && one->sa_flags & SA_SIGINFO && one->sa_sigaction == own;
}

static const struct sigaction *kept_action(void) {
  return &programs[__atomic_load_n(&current, __ATOMIC_ACQUIRE)];
}

static void keep(const struct sigaction *one) {
  int next = !current;
  programs[next] = *one;
  __atomic_store_n(&current, next, __ATOMIC_RELEASE);
}

static int is_function(const struct sigaction *one) {
  return one->sa_flags & SA_SIGINFO || (one->sa_handler != SIG_DFL && one->sa_handler != SIG_IGN);
}

// Installs the guard's handler with the flags of the program's action. So system calls that the
// signal interrupts continue as they would without the guard.
static void set_own(const struct sigaction *programs_own) {
  struct sigaction ours = {.sa_sigaction = own, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  if (programs_own->sa_flags & SA_RESTART || !is_function(programs_own))
    ours.sa_flags |= SA_RESTART;
  __sigaction(SIGSEGV, &ours, NULL);
}

void mpipp_guard_handler_install(void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction now;
  own = handler;
  if (__sigaction(SIGSEGV, NULL, &now) || is_own(&now)) return;
  keep(&now);
  set_own(&now);
}

int mpipp_handler_replace(int number, const struct sigaction *now, struct sigaction *before) {
  struct sigaction there;
  if (number != SIGSEGV || __sigaction(number, NULL, &there) || !is_own(&there)) return 0;
  struct sigaction old = *kept_action();
  // The child of vfork has its own signal handlers, but shares the program's memory.
  if (now && (uint64_t)getpid() != mpipp_registry.pid) {
    __sigaction(number, now, NULL);
  } else if (now) {
    keep(now);
    set_own(now);
  }
  if (before) *before = old;
  return 1;
}

int mpipp_guard_program_has_handler(void) {
  return is_function(kept_action());
}

void mpipp_guard_handler_pass_on(int number, siginfo_t *info, void *context) {
  const struct sigaction programs_own = *kept_action(), none = {.sa_handler = SIG_DFL};
  int is_sent = info->si_code <= 0;
  if (!is_function(&programs_own)) {
    if (is_sent && programs_own.sa_handler == SIG_IGN) return;
    __sigaction(number, &programs_own, NULL); // the instruction raises the signal again
    if (is_sent) raise(number);
    return;
  }
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_BLOCK, &programs_own.sa_mask, NULL);
  if (programs_own.sa_flags & SA_NODEFER) pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  if (programs_own.sa_flags & SA_RESETHAND) keep(&none);
  if (programs_own.sa_flags & SA_SIGINFO)
    programs_own.sa_sigaction(number, info, context);
  else
    programs_own.sa_handler(number);
}
