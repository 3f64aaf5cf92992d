// SPDX-License-Identifier: MIT
// Guard coverage: for each place in the program that starts nonblocking operations, how their
// buffers were guarded (buffer_guard/).
#ifndef MPIPP_REGISTRY_GUARD_COVERAGE_H
#define MPIPP_REGISTRY_GUARD_COVERAGE_H

#include <stdint.h>

// The size of the table. The last entry is for all places for which the table has no space.
enum { MPIPP_COVERS = 256 };

struct mpipp_cover {
  uint64_t caller;    // return address of the calls; 0 in the last entry: several
  uint32_t procedure; // enum mpipp_proc; 0 in the last entry
  uint32_t always;    // 1: guard all operations at any cost, because a debugger wants it; in the
                      // last entry: at all places
  // Numbers of operations. pages: pages were protected. compared: bytes were only compared.
  // skipped: the budget did not suffice. nothing: it was impossible.
  uint64_t pages, compared, skipped, nothing;
  uint64_t accesses; // number of all these operations whose accesses the program reported itself,
                     // because it was compiled for that
  uint64_t ticks;    // private: processor ticks that guarding has taken
};

#endif
