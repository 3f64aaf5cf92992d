// SPDX-License-Identifier: MIT
// Finds the operation that a call completes, if threads may do so at any time. MPI may reuse a
// handle before the thread that completed the former operation has reported that. So two operations
// have it for a moment.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_COMPLETION_RACE_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_COMPLETION_RACE_H

#include "buffer_guard/operations/pending.h"
#include "intercept/hooks.h"

// Returns whether a call may complete requests beside those of other threads.
int mpipp_guard_may_claim(const struct mpipp_call *call);
// Before such a call: it claims the operations that have its handles now. With the guard's lock.
void mpipp_guard_claim(const struct mpipp_call *call);
// The operation of an event of a request; NULL. At a completion it is the one that the thread's
// call has claimed, if any. The one that the event names is another's then, and no more changes are
// found in it. With the lock.
struct mpipp_guarded_operation *mpipp_guard_event_operation(const struct mpipp_event *event);
// Returns whether an event belongs to a call that only tests, beside those of other threads. The
// second: the operation that is complete beside that of such an event: the newest with its handle,
// which is the handle's meaning now. The event may name an operation that another thread has
// completed and is about to report, and whose handle MPI has reused. NULL; with the lock.
int mpipp_guard_event_tests(const struct mpipp_event *event);
struct mpipp_guarded_operation *mpipp_guard_other_completion(const struct mpipp_object *request);

#endif
