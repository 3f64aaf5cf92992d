// SPDX-License-Identifier: MIT
// Finds the frame of the calling thread's stack that contains an address. Debug information then
// names the variable there.
#ifndef MPIPP_BUFFER_GUARD_FAULTS_STACK_FRAMES_H
#define MPIPP_BUFFER_GUARD_FAULTS_STACK_FRAMES_H

#include "watcher_client/queries.h"

struct mpipp_frame {
  uint64_t code; // where the frame's function continues; 0: no frame
  uint64_t end;  // the canonical frame address: the stack pointer before the function was called
};

// mpipp_guard_frame_of takes no lock. The second function adds the frame to a query, if there is
// one.
struct mpipp_frame mpipp_guard_frame_of(uint64_t address);
void mpipp_guard_query_frame(struct mpipp_asking *asking, struct mpipp_frame frame);

#endif
