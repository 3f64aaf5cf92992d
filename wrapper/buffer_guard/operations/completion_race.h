// SPDX-License-Identifier: MIT
// Which operation a call completes, where threads may do so at any time: MPI gives a handle out
// again before the thread that completed the operation before has told of that, so that two have it
// for a moment.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_COMPLETION_RACE_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_COMPLETION_RACE_H

#include "buffer_guard/operations/pending.h"
#include "intercept/hooks.h"

// Whether a call may complete requests beside those of other threads.
int mpipp_guard_may_claim(const struct mpipp_call *call);
// Before such a call: it claims the operations that have its handles now. With the guard's lock.
void mpipp_guard_claim(const struct mpipp_call *call);
// The operation of an event of a request; NULL. One that is complete is that which the thread's
// call has claimed, if there is any: of the one that the event names, another's then, nothing more
// is found. With the lock.
struct mpipp_guarded *mpipp_guard_of_event(const struct mpipp_event *event);
// Whether an event is of a call that has but asked, beside those of other threads; and what is
// complete beside the operation of such an event: the newest of its handle, which is what the
// handle means now. The event may name one that another thread has completed and is about to tell
// of, whose handle MPI has given out again. NULL; with the lock.
int mpipp_guard_asks(const struct mpipp_event *event);
struct mpipp_guarded *mpipp_guard_beside(const struct mpipp_object *request);

#endif
