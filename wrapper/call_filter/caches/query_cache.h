// SPDX-License-Identifier: MIT
// Remembers queries. An answer depends only on the facts in a doubt, so each doubt is queried once.
#ifndef MPIPP_CALL_FILTER_CACHES_QUERY_CACHE_H
#define MPIPP_CALL_FILTER_CACHES_QUERY_CACHE_H

#include "call_filter/buffer_bounds.h"
#include "watcher_client/queries.h"

// An overlap of a call's buffer with another operation's buffer.
struct mpipp_meeting {
  struct mpipp_owner other;
  uint64_t own; // address of the record of the request that the call starts; 0: the call's own
                // buffer
  uint32_t buffer, own_buffer; // indices of the other operation's buffer, and of the call's
  struct mpipp_doubt doubt;
};

// Returns whether a doubt was not queried before. These functions need the requests' lock.
int mpipp_filter_is_new_doubt(const struct mpipp_doubt *doubt);
// Adds the facts on both calls to the doubt of an overlap, and returns whether it was not queried
// before.
int mpipp_filter_is_new_meeting(const struct mpipp_call *call, struct mpipp_meeting *meeting);

// Remembers a doubt that was queried, or is known to be no error.
void mpipp_filter_remember(const struct mpipp_doubt *doubt);

// 1 if the program waits for each answer. Then the program stops at a finding (MPIPP_STOP), does
// not make a wrong call (MPIPP_STRICT), or tests the call filter itself (MPIPP_SCREENS=check).
extern int mpipp_filter_awaits_answers MPIPP_HIDDEN;
extern int mpipp_filter_checks_itself MPIPP_HIDDEN;
// 1 if only operations on windows are checked, for errors that the analysis of the log cannot find
// (MPIPP_SCREENS=windows).
extern int mpipp_filter_windows MPIPP_HIDDEN;
// Reads MPIPP_SCREENS. Returns 0 if no call is to be checked (none).
int mpipp_filter_asking_open(void);

// Queries the watcher about the call that the thread is inside of. Takes the lock itself. doubt:
// NULL if only the overlaps are to be checked. Returns MPI's error class if the call must not be
// made.
int mpipp_filter_ask(const struct mpipp_thread *thread, const struct mpipp_doubt *doubt,
                     const struct mpipp_meeting *met, uint32_t count);
// Begins a query with all facts that the answer depends on, for the call that the thread is inside
// of. The caller holds the lock.
void mpipp_filter_ask_call(struct mpipp_asking *asking, const struct mpipp_thread *thread);
// Queries a call that the filter has cleared, together with all pending operations, to test the
// filter.
void mpipp_filter_ask_all(const struct mpipp_thread *thread);
// Queries whether this is the call in which the run is to stop.
int mpipp_filter_ask_place(const struct mpipp_thread *thread);
// The number of calls that the filter has not cleared, in a run that tests the filter.
extern uint64_t mpipp_filter_uncleared_calls MPIPP_HIDDEN;

#endif
