// SPDX-License-Identifier: MIT
#include "buffer_guard/memory/locked_pages.h"

#include "layout/strided_blocks.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"

enum { MOST = 256 };

struct mpipp_held_ranges {
  struct mpipp_held_range {
    uint64_t low, high;
  } all[MOST];
  uint32_t used; // number of entries; more than the capacity: any memory may be locked
};
static struct mpipp_held_ranges held, protected;

static int overlaps(const struct mpipp_held_ranges *of, uint64_t low, uint64_t high, int wholly) {
  uint32_t count = __atomic_load_n(&of->used, __ATOMIC_ACQUIRE);
  if (count > MOST) return 1;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t start = of->all[i].low;
    // 0: another thread is still writing the entry.
    uint64_t end = __atomic_load_n(&of->all[i].high, __ATOMIC_ACQUIRE);
    if (wholly ? start <= low && high <= end : low < end && start < high) return 1;
  }
  return 0;
}

// Extends an existing range that touches [low, high). Returns 0 if there is none.
static int join(struct mpipp_held_ranges *to, uint64_t low, uint64_t high) {
  uint32_t count = __atomic_load_n(&to->used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count && i < MOST; i++) {
    uint64_t end = low;
    if (__atomic_compare_exchange_n(&to->all[i].high, &end, high, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return 1;
  }
  return 0;
}

static void add(struct mpipp_held_ranges *to, uint64_t low, uint64_t high) {
  if (low >= high || overlaps(to, low, high, 1) || join(to, low, high)) return;
  uint32_t i = __atomic_fetch_add(&to->used, 1, __ATOMIC_ACQ_REL);
  if (i >= MOST) {
    mpipp_note_hindrance(MPIPP_HINDERED_BY_HELD);
    return;
  }
  to->all[i].low = low;
  __atomic_store_n(&to->all[i].high, high, __ATOMIC_RELEASE);
}

int mpipp_guard_is_locked_memory(uint64_t low, uint64_t high) {
  return overlaps(&held, low, high, 0);
}

int mpipp_guard_is_protected(uint64_t low, uint64_t high) {
  return overlaps(&protected, low, high, 0);
}

// Ignore calls inside MPI: MPI itself registers memory that the guard has passed to it.
void mpipp_system_note_lock(uint64_t start, uint64_t bytes) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  if (thread != &mpipp_recorder_no_thread && thread->depth) return;
  add(&held, mpipp_page_down(start), mpipp_page_up(start + bytes));
}

void mpipp_guard_note_protection(uint64_t low, uint64_t high) {
  add(&protected, low, high);
}
