// SPDX-License-Identifier: MIT
// Recognizes operations on windows that equal a valid one: in loops, they differ only in the
// displacement at the target.
#ifndef MPIPP_CALL_FILTER_CACHES_RMA_TARGET_CACHE_H
#define MPIPP_CALL_FILTER_CACHES_RMA_TARGET_CACHE_H

#include "abi/seam.h"
#include "registry/records.h"

enum { MPIPP_TARGETS = 8 }; // entries of each thread

// The index of the entry that the thread's operation equals; -1 if there is none. *number changes
// when another operation replaces the entry.
MPIPP_SEAM int mpipp_filter_target_of(const struct mpipp_call *call, uint64_t *number);

// Returns whether the call equals a valid operation from the same place in the program, with
// predefined datatypes. It must have the same target and local memory, and a displacement between
// two valid ones.
int mpipp_filter_knows_target(const struct mpipp_call *call, const struct mpipp_object *win);
// Remembers an operation that is valid.
void mpipp_filter_remember_target(const struct mpipp_call *call, const struct mpipp_object *win);

#endif
