// SPDX-License-Identifier: MIT
// Pages of the program's that are those of a memory file, so that they can be seen at two places:
// their offset in the file is their address. With the guard's lock, but for what a signal handler
// may call.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_PAGES_H
#define MPIPP_BUFFER_GUARD_MEMORY_PAGES_H

#include <stdint.h>

#include "buffer_guard/platform/mappings.h"

enum mpipp_allowed { MPIPP_ALLOW_NOTHING, MPIPP_ALLOW_LOADS, MPIPP_ALLOW_ALL };

// Makes the file; 0 without one.
int mpipp_guard_pages_open(void);
// Sees to it that pages [low, high) are the file's; 0 where they are not to be, or cannot.
int mpipp_guard_pages_share(uint64_t low, uint64_t high);
// The same of memory that the caller knows (remappable_regions.h), of any length.
int mpipp_guard_pages_share_known(uint64_t low, uint64_t high);
// Whether the first could be done now: nothing is.
int mpipp_guard_pages_may_share(uint64_t low, uint64_t high);
// Those of [low, high) that are the file's are the program's alone again, with what they have.
// Threads that store there wait, as in mpipp_guard_pages_contend.
void mpipp_guard_pages_unshare(uint64_t low, uint64_t high);
// What the program has given back of them, unless anybody else has a view of it, is not kept.
void mpipp_guard_pages_forget(uint64_t low, uint64_t high, int (*is_seen)(uint64_t, uint64_t));
// Whether any of them has been exchanged.
int mpipp_guard_pages_any(uint64_t low, uint64_t high);
// Whether all of them are the file's still, and there: the program may have given back any. Of one
// address, whether that may be so; for signal handlers, too.
int mpipp_guard_pages_are_there(uint64_t low, uint64_t high);
int mpipp_guard_pages_may_be(uint64_t address);
// The program may do anything with those that are.
void mpipp_guard_pages_open_all(uint64_t low, uint64_t high);
// Whether a mapping is of the file's pages, or of another view of them.
int mpipp_guard_pages_are_own(const struct mpipp_mapping *mapping);
// Whether threads may store to pages while these are exchanged: they wait then, in the handler of
// faults.h, which must be there. The other is for that: whether the thread has waited.
void mpipp_guard_pages_contend(int others_store);
int mpipp_guard_pages_await(uint64_t address);
// Another view of pages that are the file's, at `at`; 0 without.
int mpipp_guard_pages_show(void *at, uint64_t low, uint64_t high);
// What the program may do there; 0 where the system has no room for more mappings. To be allowed
// all it needs none: more pages than these are opened then, if they are the file's. For signal
// handlers, too.
int mpipp_guard_pages_allow(uint64_t low, uint64_t high, enum mpipp_allowed allowed);
// A sum of what a page that is the file's has, whatever the program may do there;
// MPIPP_TOUCH_NO_SUM where it cannot be read. For signal handlers, too.
uint64_t mpipp_guard_pages_sum(uint64_t page);
// How many mappings it takes at most that pages have been exchanged.
uint64_t mpipp_guard_pages_mappings(void);
// Whether any page there may be the file's. For signal handlers, too.
int mpipp_guard_pages_meet(uint64_t low, uint64_t high);

// The child of a fork gets pages of its own.
void mpipp_guard_pages_before_fork(void);
void mpipp_guard_pages_after_fork(void);
void mpipp_guard_pages_forked(void);

#endif
