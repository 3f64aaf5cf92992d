// SPDX-License-Identifier: MIT
#include "buffer_guard/fork.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "buffer_guard/memory/alias_mapping.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/platform/lock.h"
#include "buffer_guard/reporting/freed_memory.h"
#include "recorder/threads/threads.h"

enum { MOST = 4 };

static void (*all[MOST])(void);
static int count;
// The number of active forks in this thread: a signal handler, or another handler of
// pthread_atfork, may fork during a fork. Only the first fork makes the copies, because other
// threads may change the pages while the lock is lent. The children of other forks use the same
// copies. The second variable is set if a signal handler made the first fork while this thread held
// the lock.
static __thread int depth __attribute__((tls_model("initial-exec")));
static __thread int was_locked __attribute__((tls_model("initial-exec")));

// Blocks signals: a signal handler must not fork while only some of the copies exist.
static void block(sigset_t *before) {
  sigset_t every;
  sigfillset(&every);
  pthread_sigmask(SIG_BLOCK, &every, before);
}

static void before_fork(void) {
  int held = mpipp_guard_locked;
  sigset_t before;
  if (!held) mpipp_guard_lock();
  block(&before);
  if (!depth++) {
    was_locked = held;
    if (!held) mpipp_guard_aliases_forget(0, ~(uint64_t)0);
    mpipp_guard_pages_before_fork();
    if (!held) mpipp_guard_lend();
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void after_fork(void) {
  sigset_t before;
  if (depth == 1 && !was_locked) mpipp_guard_reclaim(0);
  block(&before);
  int held = was_locked;
  if (!--depth) mpipp_guard_pages_after_fork();
  int is_over = !depth && !held;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (is_over) mpipp_guard_unlock();
}

// Another thread may hold the lock in the parent. That thread does not exist in the child.
static void after_fork_in_child(void) {
  if (!was_locked) mpipp_guard_reclaim(1);
  mpipp_guard_pages_after_fork_in_child();
  mpipp_guards_buffers = 0;
  for (int i = 0; i < count; i++) all[i]();
  if (was_locked) {
    depth--;
  } else if (--depth) {
    mpipp_guard_lend();
  } else {
    mpipp_guard_unlock();
  }
}

void mpipp_guard_fork_add_handler(void (*in_child)(void)) {
  if (!count) pthread_atfork(before_fork, after_fork, after_fork_in_child);
  if (count < MOST) all[count++] = in_child;
}

void mpipp_fork_begin(void) {
  before_fork();
  mpipp_recorder_threads_before_fork();
}

void mpipp_fork_end(int in_child) {
  mpipp_recorder_threads_after_fork(in_child);
  if (in_child)
    after_fork_in_child();
  else
    after_fork();
}
