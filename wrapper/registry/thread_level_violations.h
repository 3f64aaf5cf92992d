// SPDX-License-Identifier: MIT
// Calls that violate the thread level that MPI provides.
#ifndef MPIPP_REGISTRY_THREAD_LEVEL_VIOLATIONS_H
#define MPIPP_REGISTRY_THREAD_LEVEL_VIOLATIONS_H

#include <stdint.h>

enum mpipp_thread_level {
  MPIPP_THREAD_UNKNOWN,
  MPIPP_THREAD_SINGLE,
  MPIPP_THREAD_FUNNELED,
  MPIPP_THREAD_SERIALIZED,
  MPIPP_THREAD_MULTIPLE,
};
enum mpipp_breach_state { MPIPP_BREACH_SEEN = 1, MPIPP_BREACH_CERTAIN };

// A violation: the thread must not call MPI at this level, or another thread was inside MPI.
struct mpipp_breach {
  uint32_t state; // enum "breach_state"; SEEN: certain only if the other thread is still in that
                  // call
  uint32_t level; // enum "thread_level": the level that MPI provides
  uint32_t procedure, other_procedure; // indices into the table of procedures
  uint64_t tid, other_tid;
  uint64_t caller, other_caller; // return addresses
  uint64_t other_thread;         // serial of the other thread
  uint64_t other_serial;         // serial of the call that the other thread was in; 0: the call
                                 // that initialized MPI
};

#endif
