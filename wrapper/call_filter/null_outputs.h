// SPDX-License-Identifier: MIT
// Arguments in which MPI is to store a result, and that are null pointers.
#ifndef MPIPP_CALL_FILTER_NULL_OUTPUTS_H
#define MPIPP_CALL_FILTER_NULL_OUTPUTS_H

#include "registry/object_store.h"

// The run checks them.
void mpipp_filter_null_outputs_open(void);

// The argument of that name (MPIPP_ROLE_) of the thread's call is one: a query, before MPI sees it.
void mpipp_filter_null_output(unsigned role) MPIPP_COLD;

static inline __attribute__((always_inline)) void mpipp_output(const void *argument,
                                                               unsigned role) {
  if (MPIPP_UNLIKELY(!argument)) mpipp_filter_null_output(role);
}

// A status may be ignored, in some libraries by a null pointer. count: of an array.
static inline __attribute__((always_inline)) void
mpipp_status_output(const void *status, const void *ignored, int64_t count, unsigned role) {
  if (ignored && MPIPP_UNLIKELY(!status) && count > 0) mpipp_filter_null_output(role);
}

#endif
