// SPDX-License-Identifier: MIT
// The stack frame of the calling thread that has an address: debug information names its variables.
#ifndef MPIPP_BUFFER_GUARD_FAULTS_STACK_FRAMES_H
#define MPIPP_BUFFER_GUARD_FAULTS_STACK_FRAMES_H

#include "watcher_client/queries.h"

struct mpipp_frame {
  uint64_t code; // where its function continues, 0: there is none
  uint64_t end;  // the stack pointer before that function was called: the canonical frame address
};

// Takes no lock. Says what it has found, if anything.
struct mpipp_frame mpipp_guard_frame_of(uint64_t address);
void mpipp_guard_query_frame(struct mpipp_asking *asking, struct mpipp_frame frame);

#endif
