// SPDX-License-Identifier: MIT
// Guard coverage: how the buffers of pending operations were guarded (buffer_guard/), for each
// place in the program that starts some.
#ifndef MPIPP_REGISTRY_GUARD_COVERAGE_H
#define MPIPP_REGISTRY_GUARD_COVERAGE_H

#include <stdint.h>

// The last one has all places that find no other.
enum { MPIPP_COVERS = 256 };

struct mpipp_cover {
  uint64_t caller;    // return address of the calls; 0: of several
  uint32_t procedure; // enum mpipp_proc; 0 in the last one
  uint32_t always;    // 1: guard all, at any cost, as a debugger has requested; in the last one: at
                      // all places
  // Numbers of operations: pages were protected; only bytes were compared; skipped because of the
  // budget; not guarded because it was impossible.
  uint64_t pages, compared, skipped, nothing;
  uint64_t accesses; // of all of these: those that the program checked itself, too, since it was
                     // compiled for that
  uint64_t ticks;    // private: ticks of the processor's clock that guarding has taken
};

#endif
