// SPDX-License-Identifier: MIT
#include "buffer_guard/memory/page_eligibility.h"

#include <string.h>
#include <sys/resource.h>

#include "buffer_guard/memory/locked_pages.h"
#include "buffer_guard/memory/remappable_regions.h"
#include "buffer_guard/memory/stacks.h"
#include "buffer_guard/platform/io_uring.h"

int mpipp_guard_is_file_limited(void) {
  struct rlimit most;
  return getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur != RLIM_INFINITY;
}

enum mpipp_page_refusal mpipp_guard_refuse_range(uint64_t low, uint64_t high) {
  if (mpipp_guard_is_stack(low, high)) return MPIPP_PAGES_ON_STACK;
  if (mpipp_guard_is_protected(low, high)) return MPIPP_PAGES_PROTECTED;
  return MPIPP_PAGES_ELIGIBLE;
}

enum mpipp_page_refusal mpipp_guard_refuse_exchange(uint64_t low, uint64_t high) {
  if (mpipp_guard_find_io_uring()) return MPIPP_PAGES_OF_IO_URING;
  if (mpipp_guard_is_locked_memory(low, high)) return MPIPP_PAGES_LOCKED;
  // A file that grows beyond the limit raises a signal.
  if (mpipp_guard_is_file_limited()) return MPIPP_PAGES_LIMITED_FILE;
  return MPIPP_PAGES_ELIGIBLE;
}

// Huge pages are recognized by the name of the mapping's file and its alignment. A program's own
// file may contain the word in its path, but is not aligned to huge pages.
static int has_large_pages(const struct mpipp_mapping *mapping) {
  const uint64_t large = (uint64_t)1 << 21;
  return strstr(mapping->name, "huge") && !(mapping->start % large) && !(mapping->end % large);
}

static int is_device_or_deleted_file(const struct mpipp_mapping *mapping) {
  return strncmp(mapping->name, "/dev/", 5) == 0 || strstr(mapping->name, "(deleted)");
}

enum mpipp_page_refusal mpipp_guard_refuse_mapping(const struct mpipp_mapping *mapping,
                                                   uint64_t low, uint64_t high, int is_known) {
  if (mapping->shared || is_device_or_deleted_file(mapping)) return MPIPP_PAGES_SHARED;
  if (!mapping->readable || !mapping->writable || mapping->executable)
    return MPIPP_PAGES_OTHER_RIGHTS;
  if (strncmp(mapping->name, "[stack", 6) == 0) return MPIPP_PAGES_ON_STACK;
  if (has_large_pages(mapping)) return MPIPP_PAGES_LARGE;
  if (!is_known && !mpipp_guard_is_remappable(mapping, low, high)) return MPIPP_PAGES_UNKNOWN_OWNER;
  return MPIPP_PAGES_ELIGIBLE;
}
