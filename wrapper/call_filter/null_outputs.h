// SPDX-License-Identifier: MIT
// Finds null pointers among the arguments through which MPI returns results.
#ifndef MPIPP_CALL_FILTER_NULL_OUTPUTS_H
#define MPIPP_CALL_FILTER_NULL_OUTPUTS_H

#include "abi/compilers.h"
#include "registry/object_store.h"

// Opens the check, if the run wants it.
void mpipp_filter_null_outputs_open(void);

// Queries the watcher, before MPI sees the call, about an output argument that is a null pointer.
// role: the argument's name (MPIPP_ROLE_).
void mpipp_filter_null_output(unsigned role) MPIPP_COLD;

MPIPP_INLINE void mpipp_output(const void *argument, unsigned role) {
  if (MPIPP_UNLIKELY(!argument)) mpipp_filter_null_output(role);
}

// Checks a status argument. Some libraries have a null pointer for MPI_STATUS_IGNORE. count: length
// of an array of statuses.
MPIPP_INLINE void mpipp_status_output(const void *status, const void *ignored, int64_t count,
                                      unsigned role) {
  if (ignored && MPIPP_UNLIKELY(!status) && count > 0) mpipp_filter_null_output(role);
}

#endif
