// SPDX-License-Identifier: MIT
// Finds pending operations whose buffers overlap memory that the program is about to use or to
// free. Works without the lock, while other threads begin and end operations.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_ADDRESS_LOOKUP_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_ADDRESS_LOOKUP_H

#include "buffer_guard/operations/pending.h"

// The first pending operation that forbids the program to load (with `stores`: to store to) all of
// [low, high); NULL if there is none. Opens the pages of all operations that forbid the access.
// Takes no lock.
struct mpipp_meeting {
  uint64_t serial, address, buffer, writes; // serial of its request; the first such byte; start of
                                            // its buffer; 1 if MPI writes there
};
const struct mpipp_guarded_operation *
mpipp_guard_find_overlap(uint64_t low, uint64_t high, int stores, struct mpipp_meeting *meeting);
// The first pending operation whose buffers may contain bytes of [low, high), which the program is
// about to free; NULL if there is none. Each operation is returned once. Takes no lock.
const struct mpipp_guarded_operation *mpipp_guard_find_freed(uint64_t low, uint64_t high);

#endif
