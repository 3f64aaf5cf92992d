// SPDX-License-Identifier: MIT
#include "guard/lock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__thread int mpipp_guard_locked = 0;

void mpipp_guard_lock(void) {
  pthread_mutex_lock(&lock);
  mpipp_guard_locked = 1;
}

void mpipp_guard_unlock(void) {
  mpipp_guard_locked = 0;
  pthread_mutex_unlock(&lock);
}

int mpipp_guard_try_lock(void) {
  if (pthread_mutex_trylock(&lock)) return 0;
  mpipp_guard_locked = 1;
  return 1;
}
