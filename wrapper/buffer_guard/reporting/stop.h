// SPDX-License-Identifier: MIT
// Sends a query about an error that the guard found earlier, such as an access to a guarded buffer.
// In a run with --stop or --gdb the process stops if the answer is a finding.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_STOP_H
#define MPIPP_BUFFER_GUARD_REPORTING_STOP_H

#include "watcher_client/queries.h"

// Begins a query; like all queries, with the store's lock. If the thread is inside an MPI call,
// that call is the one that has noticed the event.
void mpipp_guard_query_begin(struct mpipp_asking *asking, const struct mpipp_thread *thread);
// Sends the query. Returns 0 if that was not possible. *stops: whether the process is to stop.
int mpipp_guard_query_end(struct mpipp_asking *asking, int *stops);
// Stops the process. Called without the lock, because other threads continue as soon as the process
// does.
void mpipp_guard_stop_if(int stops);

#endif
