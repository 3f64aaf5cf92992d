// SPDX-License-Identifier: MIT
// Finds the operation that a call completes when threads may complete operations concurrently. MPI
// may reuse a handle before the thread that completed the first operation has reported that. Then
// two operations have the same handle for a moment.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_COMPLETION_RACE_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_COMPLETION_RACE_H

#include "buffer_guard/operations/pending.h"
#include "intercept/hooks.h"

// Returns whether other threads may complete requests during this call.
int mpipp_guard_may_claim(const struct mpipp_call *call);
// Called before such a call: the call claims the operations that have its handles now. The caller
// holds the guard's lock.
void mpipp_guard_claim(const struct mpipp_call *call);
// The operation that belongs to an event of a request; NULL if there is none. At a completion,
// returns the operation that the thread's call has claimed, if any. Then the operation with the
// event's serial belongs to another thread, and changes in its buffers are no longer found. The
// caller holds the lock.
struct mpipp_guarded_operation *mpipp_guard_event_operation(const struct mpipp_event *event);
// mpipp_guard_event_tests returns whether an event belongs to a test call while other threads may
// complete requests. mpipp_guard_other_completion returns the second operation that is then
// complete: the newest one with the event's handle; NULL if there is none. The event itself may
// name an operation whose completion another thread is about to report. The caller holds the lock.
int mpipp_guard_event_tests(const struct mpipp_event *event);
struct mpipp_guarded_operation *mpipp_guard_other_completion(const struct mpipp_object *request);

#endif
