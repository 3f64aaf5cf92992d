// SPDX-License-Identifier: MIT
// Recognizes operations on windows that equal a valid one: loops repeat them, except for the place
// at the target.
#ifndef MPIPP_CALL_FILTER_CACHES_RMA_TARGET_CACHE_H
#define MPIPP_CALL_FILTER_CACHES_RMA_TARGET_CACHE_H

#include "abi/seam.h"
#include "registry/records.h"

enum { MPIPP_TARGETS = 8 }; // entries of a thread

// The number of the entry that equals the thread's operation, from 0 on; -1: none. `number` changes
// when another operation replaces the entry.
MPIPP_SEAM int mpipp_filter_target_of(const struct mpipp_call *call, uint64_t *number);

// Returns whether the call equals a valid operation from the same place in the program, of
// predefined datatypes. It has the same target and the same local memory, and a displacement
// between two valid ones.
int mpipp_filter_knows_target(const struct mpipp_call *call, const struct mpipp_object *win);
// The operation is valid.
void mpipp_filter_remember_target(const struct mpipp_call *call, const struct mpipp_object *win);

#endif
