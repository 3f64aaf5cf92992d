// SPDX-License-Identifier: MIT
// The guard's memory file. Pages of the program that are mapped from it can appear at two
// addresses. A page's offset in the file is its address. The caller holds the guard's lock, except
// in functions that a signal handler may call.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_PAGES_H
#define MPIPP_BUFFER_GUARD_MEMORY_PAGES_H

#include <stdint.h>

#include "abi/seam.h"
#include "buffer_guard/platform/mappings.h"

enum mpipp_page_access { MPIPP_ALLOW_NOTHING, MPIPP_ALLOW_LOADS, MPIPP_ALLOW_ALL };

// Creates the file. Returns 0 if that fails.
MPIPP_SEAM int mpipp_guard_pages_open(void);
// Exchanges pages [low, high) for pages of the file with the same content. Returns 0 if they must
// not be exchanged (page_eligibility.h), or cannot.
int mpipp_guard_pages_share(uint64_t low, uint64_t high);
// Exchanges pages like mpipp_guard_pages_share, for memory whose owner the caller knows
// (remappable_regions.h), of any length.
MPIPP_SEAM int mpipp_guard_pages_share_remappable(uint64_t low, uint64_t high);
// Returns whether mpipp_guard_pages_share would succeed now, without doing it.
int mpipp_guard_pages_may_share(uint64_t low, uint64_t high);
// Gives the program private memory again, with the same content, for the pages of [low, high) that
// belong to the file. Threads that store to them wait, as in mpipp_guard_pages_contend.
MPIPP_SEAM void mpipp_guard_pages_unshare(uint64_t low, uint64_t high);
// Removes pages that the program has freed from the file, except those for which is_seen returns 1,
// because another view shows them.
void mpipp_guard_pages_forget(uint64_t low, uint64_t high, int (*is_seen)(uint64_t, uint64_t));
// Returns whether any page of the range belongs to the file.
MPIPP_SEAM int mpipp_guard_pages_have_exchanged(uint64_t low, uint64_t high);
// mpipp_guard_pages_exist returns whether all pages still belong to the file and are mapped: the
// program may have freed some. mpipp_guard_page_may_exist tests one address quickly; signal
// handlers may call it.
MPIPP_SEAM int mpipp_guard_pages_exist(uint64_t low, uint64_t high);
MPIPP_SEAM int mpipp_guard_page_may_exist(uint64_t address);
// Opens those pages of the range that belong to the file to the program.
MPIPP_SEAM void mpipp_guard_pages_open_all(uint64_t low, uint64_t high);
// Returns whether a mapping shows pages of the file, at their own address or as a view.
int mpipp_guard_pages_are_own(const struct mpipp_mapping *mapping);
// Sets whether other threads may store to pages while they are exchanged. These threads then wait
// in the fault handler (faults.h), which must be installed. The handler calls
// mpipp_guard_pages_await, which returns whether the thread has waited.
MPIPP_SEAM void mpipp_guard_pages_contend(int others_store);
int mpipp_guard_pages_await(uint64_t address);
// Maps another view of the file's pages at `at`. Returns 0 if that fails.
MPIPP_SEAM int mpipp_guard_pages_show(void *at, uint64_t low, uint64_t high);
// Sets the accesses that the program may make to the pages. Returns 0 if the system allows no more
// mappings. MPIPP_ALLOW_ALL needs no mapping: instead it opens more of the file's pages. Signal
// handlers may call it.
MPIPP_SEAM int mpipp_guard_pages_allow(uint64_t low, uint64_t high, enum mpipp_page_access allowed);
// A checksum of the content of a page of the file, with any protection; MPIPP_TOUCH_NO_SUM if it
// cannot be read. Signal handlers may call it.
uint64_t mpipp_guard_pages_sum(uint64_t page);
// The largest number of mappings that the exchanged pages need.
uint64_t mpipp_guard_pages_mappings(void);
// Returns whether any page of the range may belong to the file. Signal handlers may call it.
MPIPP_SEAM int mpipp_guard_pages_overlap(uint64_t low, uint64_t high);

// Call these around a fork, so that the child gets its own copy of the pages.
void mpipp_guard_pages_before_fork(void);
void mpipp_guard_pages_after_fork(void);
void mpipp_guard_pages_after_fork_in_child(void);

#endif
