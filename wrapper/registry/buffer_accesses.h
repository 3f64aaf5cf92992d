// SPDX-License-Identifier: MIT
// Loads and stores in buffers of pending operations, as the guard's signal handler has recorded
// them (buffer_guard/). They are in the records' memory, so that readers also find those that the
// process could not report itself.
#ifndef MPIPP_REGISTRY_BUFFER_ACCESSES_H
#define MPIPP_REGISTRY_BUFFER_ACCESSES_H

#include <stdint.h>

enum { MPIPP_TOUCH_CALLERS = 15 };
enum mpipp_touch_state { MPIPP_TOUCH_NONE, MPIPP_TOUCH_WHOLE, MPIPP_TOUCH_BUSY };
// The state of an operation's data when the process called MPI next after the access.
enum mpipp_moved { MPIPP_MOVED_UNKNOWN, MPIPP_NOT_MOVED, MPIPP_MOVED };

#define MPIPP_TOUCH_NO_SUM (~(uint64_t)0)

// A load or store that the program must not make.
struct mpipp_touch {
  uint32_t state;  // enum "touch_state"; stored last, when the entry is complete
  uint32_t stores; // 1: a store, 0: a load
  uint64_t serial; // serial of the operation's request
  uint64_t address, tid;
  uint32_t moved; // enum "moved"
  uint32_t bytes; // bytes of the whole access; 0: unknown
  uint64_t instruction;
  uint64_t frames; // address of `count`, for readers that expect a count and return addresses
  uint64_t count;  // number of callers
  uint64_t callers[MPIPP_TOUCH_CALLERS]; // return addresses
  // Private: the request's handle; whether MPI stores to the buffer; for loads a checksum of the
  // page's content, or NO_SUM.
  uint64_t request, receives, sum;
  uint64_t cover; // private: the place that started the operation (guard_coverage.h), 0: unknown
  uint64_t place; // private: a checksum of the place, set when it is known whether the data had
                  // been moved
};

#endif
