// SPDX-License-Identifier: MIT
#include "guard/forks.h"

#include <pthread.h>
#include <stddef.h>

#include "guard/given.h"
#include "guard/lock.h"
#include "guard/pages.h"
#include "guard/windows.h"
#include "recorders/threads.h"

enum { MOST = 4 };

static void (*all[MOST])(void);
static int count;
// As for the store's lock (recorders/threads.c): the handler of a signal may fork, and may have
// interrupted a fork. How often it has for this thread.
static __thread int interrupted __attribute__((tls_model("initial-exec")));

static void before_fork(void) {
  int held = mpipp_guard_locked;
  if (!held) mpipp_guard_lock();
  interrupted += held;
  if (!held) mpipp_windows_forget(0, ~(uint64_t)0);
  mpipp_pages_before_fork();
  if (!held) mpipp_guard_lend();
}

static void give_lock(void) {
  if (interrupted)
    interrupted--;
  else
    mpipp_guard_unlock();
}

static void after_fork(void) {
  if (!interrupted) mpipp_guard_take_back(0);
  mpipp_pages_after_fork();
  give_lock();
}

static void after_fork_in_child(void) {
  if (!interrupted) mpipp_guard_take_back(1);
  mpipp_pages_forked();
  mpipp_guards_buffers = 0;
  for (int i = 0; i < count; i++) all[i]();
  give_lock();
}

void mpipp_forks_handle(void (*in_child)(void)) {
  if (!count) pthread_atfork(before_fork, after_fork, after_fork_in_child);
  if (count < MOST) all[count++] = in_child;
}

void mpipp_fork_begins(void) {
  before_fork();
  mpipp_threads_before_fork();
}

void mpipp_fork_ends(int in_child) {
  mpipp_threads_after_fork(in_child);
  if (in_child)
    after_fork_in_child();
  else
    after_fork();
}
