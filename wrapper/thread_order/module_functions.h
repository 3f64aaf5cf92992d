// SPDX-License-Identifier: MIT
// Functions of libraries that only a module of the program may use, such as libgomp in a module of
// Python. Then the library is not in the global scope.
#ifndef MPIPP_THREAD_ORDER_MODULE_FUNCTIONS_H
#define MPIPP_THREAD_ORDER_MODULE_FUNCTIONS_H

#include <stddef.h>

#include "thread_order/interposed.h"

// The function of that name that the code at `caller` would call. NULL: there is none.
void *mpipp_order_function_for(const char *name, const void *caller);

// Defines NAME_next(caller), which returns the library's function.
#define MPIPP_NEXT_FOR(RESULT, NAME, PARAMETERS)                                                   \
  static RESULT(*NAME##_next(const void *caller)) PARAMETERS {                                     \
    static void *in_global_scope;                                                                  \
    static int has_looked;                                                                         \
    if (MPIPP_UNLIKELY(!__atomic_load_n(&has_looked, __ATOMIC_ACQUIRE))) {                         \
      in_global_scope = dlsym(RTLD_NEXT, #NAME);                                                   \
      __atomic_store_n(&has_looked, in_global_scope != NULL, __ATOMIC_RELEASE);                    \
    }                                                                                              \
    void *next = in_global_scope ? in_global_scope : mpipp_order_function_for(#NAME, caller);      \
    RESULT(*function) PARAMETERS;                                                                  \
    *(void **)&function = next;                                                                    \
    return function;                                                                               \
  }

#endif
