// SPDX-License-Identifier: MIT
// The cache of queries: an answer depends only on the facts in a doubt, so each doubt is queried
// once.
#ifndef MPIPP_CALL_FILTER_CACHES_QUERY_CACHE_H
#define MPIPP_CALL_FILTER_CACHES_QUERY_CACHE_H

#include "call_filter/buffer_bounds.h"
#include "watcher_client/queries.h"

// Another operation that shares addresses with a buffer of a call.
struct mpipp_meeting {
  struct mpipp_owner other;
  uint64_t own; // address of the request that the call starts; 0: it is the call's own buffer
  uint32_t buffer, own_buffer; // of the other, and of the call
  struct mpipp_doubt doubt;
};

// Returns whether the doubt was not queried yet. All of these need the requests' lock.
int mpipp_filter_is_new_doubt(const struct mpipp_doubt *doubt);
// Returns the same for an overlap, to whose doubt it adds the facts on both calls.
int mpipp_filter_is_new_meeting(const struct mpipp_call *call, struct mpipp_meeting *meeting);

// From now on it is not new: it was queried, or has no error.
void mpipp_filter_remember(const struct mpipp_doubt *doubt);

// 1 if the program waits for each answer. It stops at a finding (MPIPP_STOP), does not make the
// call (MPIPP_STRICT), or also checks the call filter (MPIPP_SCREENS=check).
extern int mpipp_filter_awaits_answers MPIPP_HIDDEN;
extern int mpipp_filter_checks_itself MPIPP_HIDDEN;
// 1 if only operations on windows are checked, for errors that the log's analysis cannot find
// (MPIPP_SCREENS=windows).
extern int mpipp_filter_windows MPIPP_HIDDEN;
// Returns 0 if no call is to be checked (MPIPP_SCREENS=none).
int mpipp_filter_asking_open(void);

// Queries the call that a thread is inside of; takes the lock itself. doubt: NULL if only the
// overlaps are queried. Returns MPI's error class if the call must not be made.
int mpipp_filter_ask(const struct mpipp_thread *thread, const struct mpipp_doubt *doubt,
                     const struct mpipp_meeting *met, uint32_t count);
// Begins a query with all that the answer depends on, for the call that a thread is inside of; with
// the lock.
void mpipp_filter_ask_call(struct mpipp_asking *asking, const struct mpipp_thread *thread);
// Queries a call that the filter has cleared, with all pending operations.
void mpipp_filter_ask_all(const struct mpipp_thread *thread);
// Returns whether it is the call that the run is to stop in.
int mpipp_filter_ask_place(const struct mpipp_thread *thread);
// The number of calls that were not cleared; counted when the call filter is checked.
extern uint64_t mpipp_filter_uncleared_calls MPIPP_HIDDEN;

#endif
