// SPDX-License-Identifier: MIT
// Calls that MPI does not allow a thread to make: because of the thread level, or because of
// another thread's call at the same time.
#ifndef MPIPP_REGISTRY_THREAD_VIOLATIONS_H
#define MPIPP_REGISTRY_THREAD_VIOLATIONS_H

#include <stdint.h>

enum mpipp_thread_level {
  MPIPP_THREAD_UNKNOWN,
  MPIPP_THREAD_SINGLE,
  MPIPP_THREAD_FUNNELED,
  MPIPP_THREAD_SERIALIZED,
  MPIPP_THREAD_MULTIPLE,
};
enum mpipp_breach_kind {
  MPIPP_BREACH_LEVEL,      // the level that MPI provides does not allow the call
  MPIPP_BREACH_COMM,       // two collective calls on one communicator at the same time
  MPIPP_BREACH_WIN,        // on one window
  MPIPP_BREACH_FILE,       // on one file
  MPIPP_BREACH_COMPLETION, // two calls at the same time that complete one request
};
enum mpipp_breach_state { MPIPP_BREACH_SEEN = 1, MPIPP_BREACH_CERTAIN };

// A violation: the thread must not call MPI at this level, or not during the other thread's call.
struct mpipp_breach {
  uint32_t state; // enum "breach_state"; SEEN: certain only if the other thread is still in that
                  // call
  uint32_t level; // enum "thread_level": the level that MPI provides
  uint32_t kind;  // enum "breach_kind"
  uint32_t padding;
  uint32_t procedure, other_procedure; // indices into the table of procedures
  uint64_t tid, other_tid;
  uint64_t caller, other_caller; // return addresses
  uint64_t other_thread;         // serial of the other thread
  uint64_t other_serial;         // serial of the call that the other thread was in; 0: the call
                                 // that initialized MPI
};

#endif
