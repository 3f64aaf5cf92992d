// SPDX-License-Identifier: MIT
// The functions by which the program sets a signal handler. If the guard's handler is installed for
// the signal, it stays, and passes signals on to the program's.
#define _GNU_SOURCE
#include <signal.h>

#ifdef __x86_64__ // on other processors no page is protected
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

// A function of the wrapper, which is missing in programs without it.
extern int mpipp_handler_replace(int number, const struct sigaction *now, struct sigaction *before)
    __attribute__((weak));

#define EXPORTED __attribute__((visibility("default")))
typedef int setter(int, const struct sigaction *, struct sigaction *);

static int is_replaced(int number, const struct sigaction *now, struct sigaction *before) {
  int saved = errno;
  int done = &mpipp_handler_replace && mpipp_handler_replace(number, now, before);
  errno = saved;
  return done;
}

static setter *sigaction_next;

__attribute__((constructor)) static void find_sigaction(void) {
  *(void **)&sigaction_next = dlsym(RTLD_NEXT, "sigaction");
}

EXPORTED int sigaction(int number, const struct sigaction *now, struct sigaction *before) {
  if (number == SIGSEGV && is_replaced(number, now, before)) return 0;
  if (!sigaction_next) find_sigaction();
  return sigaction_next(number, now, before);
}

static sighandler_t set(int number, sighandler_t handler, int flags, sighandler_t *before) {
  struct sigaction now = {.sa_handler = handler, .sa_flags = flags}, old;
  sigemptyset(&now.sa_mask);
  if (!(flags & SA_NODEFER)) sigaddset(&now.sa_mask, number);
  if (handler == SIG_ERR || !is_replaced(number, &now, &old)) return SIG_ERR;
  *before = old.sa_handler;
  return handler;
}

// The functions signal and sysv_signal have several names each.
#define SIGNAL(NAME, FLAGS)                                                                        \
  static sighandler_t (*NAME##_next)(int, sighandler_t);                                           \
  __attribute__((constructor)) static void find_##NAME(void) {                                     \
    *(void **)&NAME##_next = dlsym(RTLD_NEXT, #NAME);                                              \
  }                                                                                                \
  EXPORTED sighandler_t NAME(int number, sighandler_t handler);                                    \
  EXPORTED sighandler_t NAME(int number, sighandler_t handler) {                                   \
    sighandler_t before;                                                                           \
    if (number == SIGSEGV && set(number, handler, FLAGS, &before) != SIG_ERR) return before;       \
    if (!NAME##_next) find_##NAME();                                                               \
    return NAME##_next(number, handler);                                                           \
  }
SIGNAL(signal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
SIGNAL(sysv_signal, SA_RESETHAND | SA_NODEFER)
SIGNAL(__sysv_signal, SA_RESETHAND | SA_NODEFER)
#endif
