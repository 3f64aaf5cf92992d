// SPDX-License-Identifier: MIT
// Persistent operations that may be complete although the call that waited for several of them
// failed. Their handles do not show it.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_FAILED_WAITS_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_FAILED_WAITS_H

#include "intercept/hooks.h"

// Returns whether a call that has returned is a failed wait for several operations.
int mpipp_guard_has_failed(const struct mpipp_passage *passage);
// Returns whether the operation of a request in the failed call may be complete. A completed
// request is MPI_REQUEST_NULL, unless it is persistent.
int mpipp_guard_may_be_complete(const struct mpipp_passage *passage, int64_t index);

#endif
