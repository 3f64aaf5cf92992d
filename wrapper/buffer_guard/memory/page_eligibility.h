// SPDX-License-Identifier: MIT
// The reasons why the guard does not protect a page, in the order in which they are tested. The
// watcher's report counts such pages as not guarded. The caller holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_PAGE_ELIGIBILITY_H
#define MPIPP_BUFFER_GUARD_MEMORY_PAGE_ELIGIBILITY_H

#include <stdint.h>

#include "buffer_guard/platform/mappings.h"

enum mpipp_page_refusal {
  MPIPP_PAGES_ELIGIBLE,
  // Reasons that belong to an address range:
  MPIPP_PAGES_ON_STACK,  // a fault there would end the process (stacks.h)
  MPIPP_PAGES_PROTECTED, // the program has called mprotect on them (locked_pages.h)
  MPIPP_PAGES_LOCKED, // mlock, or registered with a device such as a network card (locked_pages.h)
  MPIPP_PAGES_OF_IO_URING,  // with io_uring, the kernel stores to memory of the process at any time
  MPIPP_PAGES_LIMITED_FILE, // RLIMIT_FSIZE: the guard's memory file cannot grow
  // Reasons that belong to a whole mapping:
  MPIPP_PAGES_SHARED,       // another process, a device or a file stores there
  MPIPP_PAGES_OTHER_RIGHTS, // the pages are not both readable and writable, or are executable
  MPIPP_PAGES_LARGE,        // huge pages cannot be exchanged one by one
  MPIPP_PAGES_UNKNOWN_OWNER // neither static memory nor glibc's malloc (remappable_regions.h)
};

// The first reason that applies to any page of [low, high).
enum mpipp_page_refusal mpipp_guard_refuse_range(uint64_t low, uint64_t high);
// The first reason why [low, high) must not be exchanged for pages of the guard's memory file.
enum mpipp_page_refusal mpipp_guard_refuse_exchange(uint64_t low, uint64_t high);
// The first reason that applies to [low, high), which lies in `mapping`. If `is_known`, the caller
// already knows the owner of the memory.
enum mpipp_page_refusal mpipp_guard_refuse_mapping(const struct mpipp_mapping *mapping,
                                                   uint64_t low, uint64_t high, int is_known);
// Returns whether RLIMIT_FSIZE is set. The program may set it at any time, so it is tested each
// time.
int mpipp_guard_is_file_limited(void);

#endif
