// SPDX-License-Identifier: MIT
// How the buffers of operations were looked at while they were pending (buffer_guard/), for each
// place in the program that starts some.
#ifndef MPIPP_REGISTRY_GUARD_COVERAGE_H
#define MPIPP_REGISTRY_GUARD_COVERAGE_H

#include <stdint.h>

// The last one is of all places that find no other.
enum { MPIPP_COVERS = 256 };

struct mpipp_cover {
  uint64_t caller;    // return address of the calls; 0: of several
  uint32_t procedure; // enum mpipp_proc; of the last one 0
  uint32_t always; // 1: whatever time it takes, as a debugger says; of the last one: of all places
  // Operations by how they were looked at: pages of theirs were protected; bytes were compared, and
  // no more; not, since it would have taken too long; not, since nobody could.
  uint64_t pages, compared, skipped, nothing;
  uint64_t accesses; // of all of these: the program, where it was compiled so, looked itself, too
  uint64_t ticks;    // private: of the processor's clock that looking has taken
};

#endif
