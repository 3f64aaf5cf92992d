// SPDX-License-Identifier: MIT
#include "guard/stacks.h"

#include <stddef.h>

#include "guard/known.h"
#include "guard/mappings.h"
#include "recorders/threads.h"

enum { MOST_MAPPINGS = 64 };

static int is_in(const struct mpipp_thread *thread, uint64_t low, uint64_t high) {
  return thread->stack_start < high && low < thread->stack_end;
}

// A coroutine's stack is memory like any other: of malloc one block, else all that is there without
// a hole, or a page that nobody may use.
static int is_beside(uint64_t here, uint64_t low, uint64_t high) {
  uint64_t start, end;
  if (mpipp_is_in_block(here, here + 1, &start, &end)) return low < end && start < high;
  uint64_t from = here < low ? here : low, to = here < low ? low : here;
  for (int i = 0; i < MOST_MAPPINGS && from <= to; i++) {
    struct mpipp_mapping mapping;
    if (!mpipp_mapping_at(from, &mapping)) return 0;
    if (!mapping.readable && !mapping.shared) return 0; // those that are forbidden are shared
    from = mapping.end;
  }
  return 1;
}

int mpipp_is_stack(uint64_t low, uint64_t high) {
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  for (struct mpipp_thread *one = mpipp_other_thread(NULL, NULL); one;
       one = mpipp_other_thread(NULL, one)) {
    if (is_in(one, low, high)) return 1;
  }
  return !is_in(mpipp_self, here, here + 1) && is_beside(here, low, high);
}
