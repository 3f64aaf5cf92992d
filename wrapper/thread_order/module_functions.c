// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "thread_order/module_functions.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

enum { CALLERS_BITS = 8 };

// The function of a name for a caller. Threads read it without a lock: `function` is NULL while
// another thread changes the others.
struct mpipp_order_caller {
  const void *caller, *name;
  void *function;
};

static void *known_function(const struct mpipp_order_caller *one, const char *name,
                            const void *caller) {
  void *function = __atomic_load_n(&one->function, __ATOMIC_ACQUIRE);
  int fits = MPIPP_READ(one->caller) == caller && MPIPP_READ(one->name) == name;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return fits && function == MPIPP_READ(one->function) ? function : NULL;
}

static void remember(struct mpipp_order_caller *one, const struct mpipp_order_caller *found) {
  static int is_changing;
  if (__atomic_exchange_n(&is_changing, 1, __ATOMIC_ACQUIRE)) return; // look again next time
  MPIPP_WRITE(one->function, NULL);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  MPIPP_WRITE(one->caller, found->caller);
  MPIPP_WRITE(one->name, found->name);
  __atomic_store_n(&one->function, found->function, __ATOMIC_RELEASE);
  __atomic_store_n(&is_changing, 0, __ATOMIC_RELEASE);
}

void *mpipp_order_function_for(const char *name, const void *caller) {
  static struct mpipp_order_caller all[1 << CALLERS_BITS];
  uint64_t key = (uint64_t)(uintptr_t)caller ^ (uint64_t)(uintptr_t)name;
  struct mpipp_order_caller *one = &all[key * MPIPP_HASH >> (64 - CALLERS_BITS)];
  void *known = known_function(one, name, caller);
  if (known) return known;
  Dl_info object;
  if (!dladdr(caller, &object)) return NULL;
  void *handle = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return NULL;
  void *function = dlsym(handle, name);
  dlclose(handle);
  remember(one, &(struct mpipp_order_caller){caller, name, function});
  return function;
}
