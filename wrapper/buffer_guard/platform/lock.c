// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/platform/lock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// States of the lock. Signal handlers ask whether their thread holds it. The answer is yes from
// just before the thread takes the lock until just after it has released it. Otherwise a handler
// that runs in between would wait for its own thread.
enum { FREE, TAKEN, AWAITED, LENT, BORROWED };
static uint32_t lock = FREE;
__thread int mpipp_guard_locked = 0;

static void set_locked(int is_locked) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  mpipp_guard_locked = is_locked;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

int mpipp_guard_try_lock(void) {
  uint32_t free = FREE;
  if (mpipp_guard_locked) return 0; // this thread holds it
  set_locked(1);
  int done =
      __atomic_compare_exchange_n(&lock, &free, TAKEN, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  if (!done) set_locked(0);
  return done;
}

static int change(uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(&lock, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void await_change(uint32_t from) {
  syscall(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, from, NULL);
}

static void wake(int count) {
  syscall(SYS_futex, &lock, FUTEX_WAKE_PRIVATE, count);
}

static void await(int is_beside) {
  int saved = errno;
  for (;;) {
    set_locked(1);
    if (change(FREE, AWAITED) || (is_beside && change(LENT, BORROWED))) break;
    set_locked(0);
    change(TAKEN, AWAITED);
    uint32_t now = __atomic_load_n(&lock, __ATOMIC_RELAXED);
    if (now == AWAITED || now == BORROWED || (now == LENT && !is_beside)) await_change(now);
  }
  errno = saved;
}

void mpipp_guard_lock(void) {
  if (!mpipp_guard_try_lock()) await(0);
}

void mpipp_guard_lock_outside_mpi(void) {
  if (!mpipp_guard_try_lock()) await(1);
}

void mpipp_guard_unlock(void) {
  int saved = errno, is_borrowed = __atomic_load_n(&lock, __ATOMIC_RELAXED) == BORROWED;
  uint32_t to = is_borrowed ? LENT : FREE;
  int is_awaited = __atomic_exchange_n(&lock, to, __ATOMIC_RELEASE) == AWAITED;
  set_locked(0); // before the system call, during which signals may arrive
  if (is_borrowed || is_awaited) wake(is_borrowed ? INT_MAX : 1);
  errno = saved;
}

void mpipp_guard_lend(void) {
  int saved = errno;
  __atomic_store_n(&lock, LENT, __ATOMIC_RELEASE);
  wake(INT_MAX);
  errno = saved;
}

void mpipp_guard_reclaim(int in_child) {
  int saved = errno;
  if (in_child) __atomic_store_n(&lock, AWAITED, __ATOMIC_RELAXED);
  while (!in_child && !change(LENT, AWAITED)) await_change(BORROWED);
  errno = saved;
}
