// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "guard/faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "guard/pages.h"
#include "guard/pending.h"
#include "recorders/threads.h"

enum { ROOM = 64, FRAMES = 32, STORE = 2 };

// What handlers have taken down, and what was read of that: a place is free again once it was read.
static struct mpipp_touch touches[ROOM];
static uint32_t is_full[ROOM];
uint64_t mpipp_faults_taken, mpipp_faults_read;

static struct sigaction before; // the handler that ours has come in place of
static int walks_stacks = 0;

int mpipp_faults_are_known(void) {
#ifdef __x86_64__
  return 1;
#else
  return 0;
#endif
}

// Loads alone do not bring the signal on a page that may be read.
static int is_store(const ucontext_t *context) {
#ifdef __x86_64__
  return (context->uc_mcontext.gregs[REG_ERR] & STORE) != 0;
#else
  (void)context;
  return 0;
#endif
}

static uint64_t instruction(const ucontext_t *context) {
#ifdef __x86_64__
  return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
  (void)context;
  return 0;
#endif
}

// The instruction, and what called it: this function and the system's own are further in.
static uint64_t walk(uint64_t pc, uint64_t *places) {
  void *stack[FRAMES];
  int depth = walks_stacks ? backtrace(stack, FRAMES) : 0, first = 0;
  while (first < depth && (uint64_t)(uintptr_t)stack[first] != pc) first++;
  uint64_t count = 1;
  places[0] = pc;
  for (int i = first + 1; i < depth && count < MPIPP_TOUCH_FRAMES; i++)
    places[count++] = (uint64_t)(uintptr_t)stack[i];
  return count;
}

static void take_down(const struct mpipp_guarded *guarded, uint64_t address, ucontext_t *context) {
  uint64_t number = __atomic_fetch_add(&mpipp_faults_taken, 1, __ATOMIC_RELAXED);
  uint32_t *full = &is_full[number % ROOM];
  if (__atomic_load_n(full, __ATOMIC_ACQUIRE)) return; // those before it are told of
  struct mpipp_touch *touch = &touches[number % ROOM];
  touch->serial = guarded->serial;
  touch->request = guarded->request;
  touch->address = address;
  touch->stores = (uint64_t)is_store(context);
  touch->tid = (uint64_t)syscall(SYS_gettid);
  touch->count = walk(instruction(context), touch->places);
  __atomic_store_n(full, 1, __ATOMIC_RELEASE);
}

// As if this library were not there.
static void pass_on(int number, siginfo_t *info, void *context) {
  if (before.sa_flags & SA_NODEFER) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  }
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  } else {
    sigaction(number, &before, NULL);      // the instruction brings it again
    if (info->si_code <= 0) raise(number); // somebody has sent it
  }
}

// Whether a page that no operation has any more is met for the first time: another thread has just
// completed it, and the instruction is to be tried again.
static int is_first(uint64_t address, uint64_t pc) {
  static __thread uint64_t last[2] __attribute__((tls_model("initial-exec")));
  int first = last[0] != address || last[1] != pc;
  last[0] = first ? address : 0;
  last[1] = pc;
  return first;
}

static void handle(int number, siginfo_t *info, void *context) {
  int saved = errno;
  uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
  if (info->si_code <= 0 || !mpipp_pages_meet(address, address + 1)) {
    pass_on(number, info, context);
    errno = saved;
    return;
  }
  const struct mpipp_guarded *guarded = mpipp_guarded_at(address);
  if (guarded) {
    const struct mpipp_thread *thread = mpipp_self;
    int inside = thread != &mpipp_no_thread && thread->depth; // MPI's own: the screens tell of it
    if (!inside) take_down(guarded, address, context);
    uint64_t page = mpipp_page_down(address);
    mpipp_pages_allow(page, page + MPIPP_PAGE, MPIPP_ALLOW_ALL);
  } else if (!is_first(address, instruction(context))) {
    pass_on(number, info, context);
  }
  errno = saved;
}

void mpipp_faults_catch(void) {
  static int warm = 0;
  if (!warm) {
    void *stack[FRAMES];
    backtrace(stack, FRAMES); // the first time it loads a library
    // Without it a look for the caller takes a lock.
    walks_stacks = dlsym(RTLD_DEFAULT, "_dl_find_object") != NULL;
    warm = 1;
  }
  struct sigaction now;
  if (sigaction(SIGSEGV, NULL, &now) || (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle))
    return;
  struct sigaction own = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&own.sa_mask);
  before = now;
  sigaction(SIGSEGV, &own, NULL);
}

int mpipp_faults_next(struct mpipp_touch *touch) {
  while (mpipp_faults_read < __atomic_load_n(&mpipp_faults_taken, __ATOMIC_ACQUIRE)) {
    uint64_t number = mpipp_faults_read++ % ROOM;
    // Another thread's may not be whole yet: it is told of when its place comes again.
    if (!__atomic_load_n(&is_full[number], __ATOMIC_ACQUIRE)) continue;
    *touch = touches[number];
    __atomic_store_n(&is_full[number], 0, __ATOMIC_RELEASE);
    return 1;
  }
  return 0;
}
