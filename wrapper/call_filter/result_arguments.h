// SPDX-License-Identifier: MIT
// Checks the arguments through which MPI returns results. Finds null pointers. Asks the watcher
// about the variables of integers, such as a `bool` that is passed as an `int`.
#ifndef MPIPP_CALL_FILTER_RESULT_ARGUMENTS_H
#define MPIPP_CALL_FILTER_RESULT_ARGUMENTS_H

#include "abi/compilers.h"
#include "call_filter/buffer_owners.h"
#include "registry/object_store.h"

// The uses of integers that were looked up, in a hash table.
enum { MPIPP_KNOWN_RESULTS = MPIPP_KNOWN_PLACES };
extern uint64_t mpipp_filter_known_results[MPIPP_KNOWN_RESULTS] MPIPP_HIDDEN;

// Opens the check, if the run wants it.
void mpipp_filter_results_open(void);

// Queries the watcher, before MPI sees the call, about an output argument that is a null pointer.
// role: the argument's name (MPIPP_ROLE_).
void mpipp_filter_null_output(unsigned role) MPIPP_COLD;
// Looks up an argument in which MPI stores an integer of `size` bytes. It may be a null pointer.
void mpipp_filter_look_up_result(struct mpipp_thread *thread, uint64_t address, uint32_t size,
                                 unsigned role) MPIPP_COLD;

MPIPP_INLINE void mpipp_output(const void *argument, unsigned role) {
  if (MPIPP_UNLIKELY(!argument)) mpipp_filter_null_output(role);
}

// A place with an address. A sum would be equal for many pairs, because the addresses of variables
// and places have similar distances. A null pointer has the place alone.
MPIPP_INLINE uint64_t mpipp_result_use(const struct mpipp_thread *thread, uint64_t address) {
  return thread->call.caller ^ address * 0x9e3779b97f4a7c15u;
}

// Checks an argument in which MPI stores an integer of `size` bytes.
MPIPP_INLINE void mpipp_integer_output(struct mpipp_thread *thread, const void *argument,
                                       uint32_t size, unsigned role) {
  const uint64_t use = mpipp_result_use(thread, (uintptr_t)argument);
  if (MPIPP_UNLIKELY(MPIPP_READ(mpipp_filter_known_results[mpipp_place_hash(use)]) != use))
    mpipp_filter_look_up_result(thread, (uintptr_t)argument, size, role);
}

// Checks an argument in which MPI stores an address.
MPIPP_INLINE void mpipp_pointer_output(struct mpipp_thread *thread, const void *argument,
                                       unsigned role) {
  if (argument) mpipp_integer_output(thread, argument, sizeof(void *), role);
}

// Checks a status argument. Some libraries have a null pointer for MPI_STATUS_IGNORE. count: length
// of an array of statuses.
MPIPP_INLINE void mpipp_status_output(const void *status, const void *ignored, int64_t count,
                                      unsigned role) {
  if (ignored && MPIPP_UNLIKELY(!status) && count > 0) mpipp_filter_null_output(role);
}

#endif
