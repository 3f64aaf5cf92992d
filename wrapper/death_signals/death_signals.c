// SPDX-License-Identifier: MIT
// Lets the watcher read the stack of a watched process at its end. At a fatal signal, a handler
// waits until the watcher has read the stack. Then the process dies as it would without the
// handler. The handler is installed for signals for which the program has left the default action.
// It is also installed if a library of the language or of MPI has a handler that prints the stack.
// Then that handler runs next.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "intercept/startup.h"
#include "registry/registry.h"
#include "watcher_client/dying.h"

enum { PATIENCE_MS = 5000, STEP_MS = 20, STACK_BYTES = 1 << 16, STORE = 2, FETCH = 16 };

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { FATAL = sizeof fatal / sizeof *fatal };
static struct sigaction before[FATAL];
static int is_telling, has_told;

static uint32_t access_of(const siginfo_t *info, const ucontext_t *context) {
  int has_address = info->si_signo == SIGSEGV || info->si_signo == SIGBUS;
  if (!has_address || info->si_code <= 0 || info->si_code == SI_KERNEL)
    return MPIPP_FATAL_NO_ACCESS;
#ifdef __x86_64__
  long long error = context->uc_mcontext.gregs[REG_ERR];
  if (error & FETCH) return MPIPP_FATAL_FETCH;
  return error & STORE ? MPIPP_FATAL_STORE : MPIPP_FATAL_LOAD;
#else
  (void)context;
  return MPIPP_FATAL_SOME;
#endif
}

static void report(const siginfo_t *info, const ucontext_t *context) {
  struct mpipp_dying dying = {.pid = mpipp_registry.pid,
                              .tid = (uint64_t)syscall(SYS_gettid),
                              .signal = (uint32_t)info->si_signo,
                              .access = access_of(info, context),
                              .code = info->si_code};
  if (dying.access != MPIPP_FATAL_NO_ACCESS) dying.address = (uintptr_t)info->si_addr;
#ifdef __x86_64__
  dying.instruction = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
  dying.stack = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
  dying.base = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
#endif
  mpipp_watcher_report_dying(&dying, PATIENCE_MS);
}

// Called in exit, or when main has returned.
static void report_exit(void) {
  struct mpipp_dying dying = {.pid = mpipp_registry.pid, .tid = (uint64_t)syscall(SYS_gettid)};
#ifdef __x86_64__
  __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
                   : "=r"(dying.instruction), "=r"(dying.stack), "=r"(dying.base));
  mpipp_watcher_report_dying(&dying, PATIENCE_MS);
#else
  (void)dying;
#endif
}

static void handle(int number, siginfo_t *info, void *context) {
  // `watched` is 0 in the child of a fork.
  int saved = errno, watched = (uint64_t)getpid() == mpipp_registry.pid;
  if (watched && !__atomic_exchange_n(&is_telling, 1, __ATOMIC_ACQ_REL)) {
    report(info, context);
    __atomic_store_n(&has_told, 1, __ATOMIC_RELEASE);
  } else if (watched) { // another thread is dying: the process must not end before the first one's
                        // stack is read
    for (int i = 0; i < PATIENCE_MS / STEP_MS && !__atomic_load_n(&has_told, __ATOMIC_ACQUIRE); i++)
      poll(NULL, 0, STEP_MS);
  }
  for (int i = 0; i < FATAL; i++)
    if (fatal[i] == number) sigaction(number, &before[i], NULL);
  if (info->si_code <= 0)
    raise(number); // a signal of an instruction is raised again when the
                   // instruction is repeated
  errno = saved;
}

// Returns whether a handler only prints the stack of a dying process. Libraries of languages have
// such handlers, and libraries that MPI uses.
static int is_library_handler(const struct sigaction *one) {
  static const char *const libraries[] = {
      "libgfortran.", "libifcore", "libflang",   "libopen-pal.", "libopal",      "libmpi",
      "libucs.",      "libucm.",   "libfabric.", "libpsm",       "libevent_core"};
  Dl_info found;
  void *address = one->sa_flags & SA_SIGINFO ? *(void *const *)&one->sa_sigaction
                                             : *(void *const *)&one->sa_handler;
  if (!dladdr(address, &found) || !found.dli_fname) return 0;
  const char *name = strrchr(found.dli_fname, '/');
  name = name ? name + 1 : found.dli_fname;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (!strncmp(name, libraries[i], strlen(libraries[i]))) return 1;
  return 0;
}

static int may_replace(const struct sigaction *one) {
  if (!(one->sa_flags & SA_SIGINFO) && one->sa_handler == SIG_DFL) return 1;
  if (!(one->sa_flags & SA_SIGINFO) && one->sa_handler == SIG_IGN) return 0;
  return is_library_handler(one);
}

// Gives the thread an alternate signal stack, because its own stack may have no space left.
static void give_stack(void) {
  stack_t now;
  if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE)) return;
  void *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = STACK_BYTES}, NULL);
}

static void catch_signals(void) {
  struct sigaction ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  give_stack();
  for (int i = 0; i < FATAL; i++)
    if (!sigaction(fatal[i], NULL, &before[i]) && may_replace(&before[i]))
      sigaction(fatal[i], &ours, NULL);
}

__attribute__((constructor)) static void hook_in(void) {
  if (!getenv("MPIPP_WATCH")) return;
  mpipp_intercept_at_start = catch_signals;
  mpipp_intercept_at_exit = report_exit;
}
