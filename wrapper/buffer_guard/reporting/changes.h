// SPDX-License-Identifier: MIT
// Queries the watcher about changes that a comparison has found. Called inside a call of MPI, or
// when the process ends.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_CHANGES_H
#define MPIPP_BUFFER_GUARD_REPORTING_CHANGES_H

#include "registry/records.h"
#include "watcher_client/queries.h"

// Reports a change in a buffer of an operation that the thread's call has completed. The watcher is
// queried once for each pair of places.
void mpipp_guard_report_change(const struct mpipp_request *request,
                               const struct mpipp_change *change);
// Reports a change in a buffer of an operation that is still pending. Or reports that the buffer is
// on the stack of a function that has returned.
void mpipp_guard_report_pending_change(uint64_t request, uint64_t serial,
                                       const struct mpipp_change *change);

#endif
