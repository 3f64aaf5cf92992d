// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "guard/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// Signal handlers ask whether their thread has the lock. To them it has before it takes it, and
// until it has given it back: else one that comes between would wait for its own thread.
enum { FREE, TAKEN, AWAITED };
static uint32_t lock = FREE;
__thread int mpipp_guard_locked = 0;

static void set_locked(int is_locked) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  mpipp_guard_locked = is_locked;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

int mpipp_guard_try_lock(void) {
  uint32_t free = FREE;
  if (mpipp_guard_locked) return 0; // by this thread
  set_locked(1);
  int done =
      __atomic_compare_exchange_n(&lock, &free, TAKEN, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  if (!done) set_locked(0);
  return done;
}

static void await(void) {
  int saved = errno;
  for (;;) {
    set_locked(1);
    if (__atomic_exchange_n(&lock, AWAITED, __ATOMIC_ACQUIRE) == FREE) break;
    set_locked(0);
    syscall(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, AWAITED, NULL);
  }
  errno = saved;
}

void mpipp_guard_lock(void) {
  if (!mpipp_guard_try_lock()) await();
}

void mpipp_guard_unlock(void) {
  int saved = errno;
  int is_awaited = __atomic_exchange_n(&lock, FREE, __ATOMIC_RELEASE) == AWAITED;
  set_locked(0); // before the system is called, which is where signals come
  if (is_awaited) syscall(SYS_futex, &lock, FUTEX_WAKE_PRIVATE, 1);
  errno = saved;
}
