// SPDX-License-Identifier: MIT
// The watcher is asked about what was found when a comparison was made. In a call of MPI, or when
// the process ends.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_CHANGES_H
#define MPIPP_BUFFER_GUARD_REPORTING_CHANGES_H

#include "registry/records.h"
#include "watcher_client/queries.h"

// A change in a buffer of an operation that the call has completed; each pair of places is asked
// about once.
void mpipp_guard_report_change(const struct mpipp_request *request,
                               const struct mpipp_change *change);
// A change in a buffer of an operation that is still pending; or the buffer is on the stack of a
// function that has returned.
void mpipp_guard_report_pending_change(uint64_t request, uint64_t serial,
                                       const struct mpipp_change *change);

#endif
