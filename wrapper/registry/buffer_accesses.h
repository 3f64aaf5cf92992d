// SPDX-License-Identifier: MIT
// Loads and stores in buffers of pending operations, as signal handlers have taken them down
// (buffer_guard/): in the records' memory, so that what the process does not come to tell is read
// there.
#ifndef MPIPP_REGISTRY_BUFFER_ACCESSES_H
#define MPIPP_REGISTRY_BUFFER_ACCESSES_H

#include <stdint.h>

enum { MPIPP_TOUCH_CALLERS = 15 };
enum mpipp_touch_state { MPIPP_TOUCH_NONE, MPIPP_TOUCH_WHOLE, MPIPP_TOUCH_BUSY };
// Whether MPI had moved the data of an operation when the process called it next.
enum mpipp_moved { MPIPP_MOVED_UNKNOWN, MPIPP_NOT_MOVED, MPIPP_MOVED };

#define MPIPP_TOUCH_NO_SUM (~(uint64_t)0)

// One that was not the program's right.
struct mpipp_touch {
  uint32_t state;  // enum "touch_state"; written last
  uint32_t stores; // 1; loads: 0
  uint64_t serial; // the number of the operation's request
  uint64_t address, tid;
  uint32_t moved; // enum "moved"
  uint32_t bytes; // that the whole access has; 0: not known
  uint64_t instruction;
  uint64_t frames;                       // address of the count of callers, which follow it
  uint64_t count;                        // of
  uint64_t callers[MPIPP_TOUCH_CALLERS]; // return addresses
  // Private: the request's handle; whether the operation stores there; of loads then a sum of what
  // the page had, or NO_SUM.
  uint64_t request, receives, sum;
  uint64_t cover; // private: the place that has started it (guard_coverage.h), 0: not known
  uint64_t place; // private: a sum of the place, once it is known whether the data had been moved
};

#endif
