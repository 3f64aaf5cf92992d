// SPDX-License-Identifier: MIT
// What bytes that the program is about to use, or gives back, have in common with the buffers of
// pending operations: asked without the lock, while other threads begin and end such.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_ADDRESS_LOOKUP_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_ADDRESS_LOOKUP_H

#include "buffer_guard/operations/pending.h"

// The first pending one of which the program may not load (`stores`: store to) all of [low, high);
// NULL. The pages of such are opened. Takes no lock.
struct mpipp_meeting {
  uint64_t serial, address, buffer, writes; // of its request; the first such byte; of its buffer
};
const struct mpipp_guarded *mpipp_guard_meets(uint64_t low, uint64_t high, int stores,
                                              struct mpipp_meeting *meeting);
// The first pending one whose buffers may have bytes of [low, high), which are the program's from
// now on, since it gives them back; each is so once. NULL. Takes no lock.
const struct mpipp_guarded *mpipp_guard_give_back(uint64_t low, uint64_t high);

#endif
