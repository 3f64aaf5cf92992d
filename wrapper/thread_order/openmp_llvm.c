// SPDX-License-Identifier: MIT
// OpenMP of LLVM and Intel: the functions around code that one thread executes at a time. All
// others are in openmp_tool.c.
#define _GNU_SOURCE
#include <stdint.h>

#include "thread_order/interposed.h"
#include "thread_order/module_functions.h"

static const char ordered; // stands for the order of iterations of all loops

#define CRITICAL (void *place, int32_t thread, void *name)
#define HINTED (void *place, int32_t thread, void *name, uint32_t hint)
MPIPP_NEXT_FOR(void, __kmpc_critical, CRITICAL)
MPIPP_OVER void __kmpc_critical CRITICAL;
MPIPP_OVER void __kmpc_critical CRITICAL {
  __kmpc_critical_next(MPIPP_PLACE)(place, thread, name);
  if (mpipp_order_watches()) mpipp_order_acquire_exclusive(name, MPIPP_PLACE);
}

MPIPP_NEXT_FOR(void, __kmpc_critical_with_hint, HINTED)
MPIPP_OVER void __kmpc_critical_with_hint HINTED;
MPIPP_OVER void __kmpc_critical_with_hint HINTED {
  __kmpc_critical_with_hint_next(MPIPP_PLACE)(place, thread, name, hint);
  if (mpipp_order_watches()) mpipp_order_acquire_exclusive(name, MPIPP_PLACE);
}

MPIPP_NEXT_FOR(void, __kmpc_end_critical, CRITICAL)
MPIPP_OVER void __kmpc_end_critical CRITICAL;
MPIPP_OVER void __kmpc_end_critical CRITICAL {
  if (mpipp_order_watches()) mpipp_order_release_at(name, MPIPP_PLACE);
  __kmpc_end_critical_next(MPIPP_PLACE)(place, thread, name);
}

#define ORDERED (void *place, int32_t thread)
MPIPP_NEXT_FOR(void, __kmpc_ordered, ORDERED)
MPIPP_OVER void __kmpc_ordered ORDERED;
MPIPP_OVER void __kmpc_ordered ORDERED {
  __kmpc_ordered_next(MPIPP_PLACE)(place, thread);
  if (mpipp_order_watches()) mpipp_order_acquire_at(&ordered, MPIPP_PLACE);
}

MPIPP_NEXT_FOR(void, __kmpc_end_ordered, ORDERED)
MPIPP_OVER void __kmpc_end_ordered ORDERED;
MPIPP_OVER void __kmpc_end_ordered ORDERED {
  if (mpipp_order_watches()) mpipp_order_release_at(&ordered, MPIPP_PLACE);
  __kmpc_end_ordered_next(MPIPP_PLACE)(place, thread);
}
