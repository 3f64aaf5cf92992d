// SPDX-License-Identifier: MIT
#include "buffer_guard/memory/accessible_memory.h"

#include <string.h>

#include "buffer_guard/memory/pages.h"
#include "buffer_guard/platform/mappings.h"
#include "recorder/threads/threads.h"

enum { KNOWN = 16, USES = 256, MOST_MAPPINGS = 64 };

// A range of equal memory that the system has reported; the system is queried again after some
// uses.
static struct mpipp_ordinary_known {
  uint64_t low, high;
  uint32_t left;
  enum mpipp_memory memory;
} known[KNOWN];
static uint32_t next_known;

static int is_device(const struct mpipp_mapping *mapping) {
  if (strncmp(mapping->name, "anon_inode:", 11) == 0 || strncmp(mapping->name, "socket:", 7) == 0)
    return 1;
  return strncmp(mapping->name, "/dev/", 5) == 0 && strncmp(mapping->name, "/dev/shm/", 9) != 0 &&
         strncmp(mapping->name, "/dev/zero", 9) != 0;
}

static enum mpipp_memory classify(const struct mpipp_mapping *mapping) {
  if (mpipp_guard_pages_are_own(mapping)) return MPIPP_MEMORY_OWN;
  if (is_device(mapping)) return MPIPP_MEMORY_OTHER;
  if (!mapping->readable || !mapping->writable || mapping->shared)
    return mapping->shared || mapping->readable ? MPIPP_MEMORY_SHARED : MPIPP_MEMORY_OTHER;
  return MPIPP_MEMORY_OWN;
}

static struct mpipp_ordinary_known *range_at(uint64_t address) {
  for (uint32_t i = 0; i < KNOWN; i++) {
    if (known[i].left && address >= known[i].low && address < known[i].high) {
      known[i].left--;
      return &known[i];
    }
  }
  struct mpipp_mapping mapping;
  if (!mpipp_guard_mapping_at(address, &mapping)) return NULL;
  struct mpipp_ordinary_known *one = &known[next_known++ % KNOWN];
  *one = (struct mpipp_ordinary_known){mapping.start, mapping.end, USES, classify(&mapping)};
  return one;
}

enum mpipp_memory mpipp_guard_memory_at(uint64_t low, uint64_t high) {
  const struct mpipp_thread *self = mpipp_recorder_self;
  if (low >= self->stack_start && high <= self->stack_end) return MPIPP_MEMORY_OWN;
  enum mpipp_memory least = MPIPP_MEMORY_OWN;
  for (int i = 0; i < MOST_MAPPINGS && low < high; i++) {
    const struct mpipp_ordinary_known *one = range_at(low);
    if (!one) return MPIPP_MEMORY_OTHER;
    if (one->memory < least) least = one->memory;
    low = one->high;
  }
  return low < high ? MPIPP_MEMORY_OTHER : least;
}
