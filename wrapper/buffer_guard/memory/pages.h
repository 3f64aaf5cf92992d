// SPDX-License-Identifier: MIT
// Pages of the program that are mapped from a memory file, so that they can appear at two
// addresses. Their offset in the file is their address. With the guard's lock, except for functions
// that a signal handler may call.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_PAGES_H
#define MPIPP_BUFFER_GUARD_MEMORY_PAGES_H

#include <stdint.h>

#include "abi/seam.h"
#include "buffer_guard/platform/mappings.h"

enum mpipp_page_access { MPIPP_ALLOW_NOTHING, MPIPP_ALLOW_LOADS, MPIPP_ALLOW_ALL };

// Makes the file; 0 without one.
MPIPP_SEAM int mpipp_guard_pages_open(void);
// Maps pages [low, high) from the file; 0 if they must not be (page_eligibility.h), or cannot.
int mpipp_guard_pages_share(uint64_t low, uint64_t high);
// Maps memory that the caller knows (remappable_regions.h), of any length.
MPIPP_SEAM int mpipp_guard_pages_share_remappable(uint64_t low, uint64_t high);
// Returns whether mpipp_guard_pages_share could succeed now, without doing it.
int mpipp_guard_pages_may_share(uint64_t low, uint64_t high);
// Makes pages of [low, high) that are the file's private to the program again, with their content.
// Threads that store there wait, as in mpipp_guard_pages_contend.
MPIPP_SEAM void mpipp_guard_pages_unshare(uint64_t low, uint64_t high);
// Drops the pages that the program has freed, unless there is another view of them.
void mpipp_guard_pages_forget(uint64_t low, uint64_t high, int (*is_seen)(uint64_t, uint64_t));
// Returns whether any of them has been exchanged.
MPIPP_SEAM int mpipp_guard_pages_have_exchanged(uint64_t low, uint64_t high);
// Returns whether all of them still belong to the file, and exist: the program may have freed any.
// The second: whether that is possible for one address; for signal handlers, too.
MPIPP_SEAM int mpipp_guard_pages_exist(uint64_t low, uint64_t high);
MPIPP_SEAM int mpipp_guard_page_may_exist(uint64_t address);
// Opens those that are the file's to the program.
MPIPP_SEAM void mpipp_guard_pages_open_all(uint64_t low, uint64_t high);
// Returns whether a mapping shows the file's pages, or another view of them.
int mpipp_guard_pages_are_own(const struct mpipp_mapping *mapping);
// Sets whether threads may store to pages while these are exchanged. They wait then, in the handler
// of faults.h, which must be installed. The second is for the handler: returns whether the thread
// has waited.
MPIPP_SEAM void mpipp_guard_pages_contend(int others_store);
int mpipp_guard_pages_await(uint64_t address);
// Another view of pages that are the file's, at `at`; 0 without.
MPIPP_SEAM int mpipp_guard_pages_show(void *at, uint64_t low, uint64_t high);
// Sets what the program may do there; 0 if the system allows no more mappings. Allowing everything
// needs none: more pages than these are opened then, if they are the file's. For signal handlers,
// too.
MPIPP_SEAM int mpipp_guard_pages_allow(uint64_t low, uint64_t high, enum mpipp_page_access allowed);
// A sum of the content of a page that is the file's, with any protection; MPIPP_TOUCH_NO_SUM if it
// cannot be read. For signal handlers, too.
uint64_t mpipp_guard_pages_sum(uint64_t page);
// The number of mappings that the exchange of pages takes at most.
uint64_t mpipp_guard_pages_mappings(void);
// Returns whether any page there may be the file's. For signal handlers, too.
MPIPP_SEAM int mpipp_guard_pages_overlap(uint64_t low, uint64_t high);

// The child of a fork gets pages of its own.
void mpipp_guard_pages_before_fork(void);
void mpipp_guard_pages_after_fork(void);
void mpipp_guard_pages_after_fork_in_child(void);

#endif
