// SPDX-License-Identifier: MIT
// Functions of the thread libraries that this part replaces. Each calls the library's own.
#ifndef MPIPP_THREAD_ORDER_INTERPOSED_H
#define MPIPP_THREAD_ORDER_INTERPOSED_H

#include <dlfcn.h>
#include <stdint.h>

#include "registry/object_store.h"
#include "thread_order/sync_objects.h"

#define MPIPP_OVER __attribute__((visibility("default")))
#define MPIPP_PLACE __builtin_return_address(0)

// Defines NAME_next(), which returns the library's function.
#define MPIPP_NEXT(RESULT, NAME, PARAMETERS)                                                       \
  static inline RESULT(*NAME##_next(void)) PARAMETERS {                                            \
    static void *found;                                                                            \
    void *next = __atomic_load_n(&found, __ATOMIC_RELAXED);                                        \
    if (MPIPP_UNLIKELY(!next)) {                                                                   \
      next = dlsym(RTLD_NEXT, #NAME);                                                              \
      __atomic_store_n(&found, next, __ATOMIC_RELAXED);                                            \
    }                                                                                              \
    RESULT(*function) PARAMETERS;                                                                  \
    *(void **)&function = next;                                                                    \
    return function;                                                                               \
  }

static inline int mpipp_order_watches(void) {
  return MPIPP_UNLIKELY(__atomic_load_n(&mpipp_order_is_active, __ATOMIC_RELAXED));
}

#endif
