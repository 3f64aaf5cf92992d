// SPDX-License-Identifier: MIT
// Persistent operations that may be complete although the call that waited for several has failed:
// their handles do not show it.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_FAILED_WAITS_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_FAILED_WAITS_H

#include "intercept/hooks.h"

// Returns whether a call that has returned is such.
int mpipp_guard_has_failed(const struct mpipp_passage *passage);
// Returns whether the operation of its request may be complete. A request that is not persistent is
// MPI_REQUEST_NULL then.
int mpipp_guard_may_be_complete(const struct mpipp_passage *passage, int64_t index);

#endif
