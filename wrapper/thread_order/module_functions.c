// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "thread_order/module_functions.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

enum { CALLERS_BITS = 8 };

void *mpipp_order_function_for(const char *name, const void *caller) {
  static struct mpipp_order_caller {
    const void *caller, *name;
    void *function;
  } all[1 << CALLERS_BITS];
  uint64_t key = (uint64_t)(uintptr_t)caller ^ (uint64_t)(uintptr_t)name;
  struct mpipp_order_caller *known = &all[key * MPIPP_HASH >> (64 - CALLERS_BITS)], now = *known;
  if (now.caller == caller && now.name == name && now.function) return now.function;
  Dl_info object;
  if (!dladdr(caller, &object)) return NULL;
  void *handle = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return NULL;
  void *function = dlsym(handle, name);
  dlclose(handle);
  *known = (struct mpipp_order_caller){caller, name, function};
  return function;
}
