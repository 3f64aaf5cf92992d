// SPDX-License-Identifier: MIT
// Overlaps between bytes that the program is about to use, or frees, and the buffers of pending
// operations. Without the lock, while other threads begin and end operations.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_ADDRESS_LOOKUP_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_ADDRESS_LOOKUP_H

#include "buffer_guard/operations/pending.h"

// The first pending operation, for which the program must not load (`stores`: store to) all of
// [low, high); NULL. The pages of such operations are opened. Takes no lock.
struct mpipp_meeting {
  uint64_t serial, address, buffer, writes; // of its request; the first such byte; of its buffer
};
const struct mpipp_guarded_operation *
mpipp_guard_find_overlap(uint64_t low, uint64_t high, int stores, struct mpipp_meeting *meeting);
// The first pending operation whose buffers may have bytes of [low, high), which the program frees
// now; each is returned once. NULL. Takes no lock.
const struct mpipp_guarded_operation *mpipp_guard_find_freed(uint64_t low, uint64_t high);

#endif
