// SPDX-License-Identifier: MIT
// Questions about what was done to a buffer before they were asked; where something is found the
// process stops, if it is to.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_STOP_H
#define MPIPP_BUFFER_GUARD_REPORTING_STOP_H

#include "watcher_client/queries.h"

// With the store's lock, as all questions. The call of the thread is the one that has seen it, if
// it is inside of one.
void mpipp_guard_query_begin(struct mpipp_asking *asking, const struct mpipp_thread *thread);
// Sends it; returns 0 if it could not be asked. stops: whether the process is to stop.
int mpipp_guard_query_end(struct mpipp_asking *asking, int *stops);
// Without the lock: other threads may continue as soon as the process does.
void mpipp_guard_stop_if(int stops);

#endif
