// SPDX-License-Identifier: MIT
// Static variables of functions in C++: the thread that initializes one comes before the others
// that use it. The guard's first byte is also read by the program itself, as an atomic operation.
#define _GNU_SOURCE
#include <stdint.h>

#include "thread_order/interposed.h"
#include "thread_order/module_functions.h"

MPIPP_NEXT_FOR(int, __cxa_guard_acquire, (uint64_t * guard))
MPIPP_OVER int __cxa_guard_acquire(uint64_t *guard);
MPIPP_OVER int __cxa_guard_acquire(uint64_t *guard) {
  int is_first = __cxa_guard_acquire_next(MPIPP_PLACE)(guard);
  if (mpipp_order_watches()) mpipp_order_acquire_at(guard, MPIPP_PLACE);
  return is_first;
}

MPIPP_NEXT_FOR(void, __cxa_guard_release, (uint64_t * guard))
MPIPP_OVER void __cxa_guard_release(uint64_t *guard);
MPIPP_OVER void __cxa_guard_release(uint64_t *guard) {
  if (mpipp_order_watches()) mpipp_order_release_at(guard, MPIPP_PLACE);
  __cxa_guard_release_next(MPIPP_PLACE)(guard);
}
