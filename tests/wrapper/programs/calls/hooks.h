// SPDX-License-Identifier: MIT
// Helpers for programs that install hooks in the wrapper, and check the results themselves.
#ifndef HOOKS_H
#define HOOKS_H

#include "generated/procedures.h"
#include "intercept/hooks.h"
#include "probe.h"

#define CHECK(condition)                                                                           \
  if (!(condition)) return fprintf(stderr, "line %d: %s\n", __LINE__, #condition), __LINE__ % 255

// A check for use in a hook: it stores the failing line.
static int wrong_line;
#define CHECK_HERE(condition)                                                                      \
  if (!(condition)) fprintf(stderr, "line %d: %s\n", __LINE__, #condition), wrong_line = __LINE__

// NULL without the wrapper.
static void (*hook_in)(struct mpipp_hook *), (*hook_out)(struct mpipp_hook *);

static inline void find_seam(void) {
  hook_in = (void (*)(struct mpipp_hook *))dlsym(RTLD_DEFAULT, "mpipp_hook_in");
  hook_out = (void (*)(struct mpipp_hook *))dlsym(RTLD_DEFAULT, "mpipp_hook_out");
}

#endif
