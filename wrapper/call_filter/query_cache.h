// SPDX-License-Identifier: MIT
// What is asked, and what was asked before: an answer depends on no more than a doubt has, so that
// each is asked for once.
#ifndef MPIPP_CALL_FILTER_QUERY_CACHE_H
#define MPIPP_CALL_FILTER_QUERY_CACHE_H

#include "call_filter/buffer_bounds.h"

// Another operation that shares addresses with a buffer of a call.
struct mpipp_meeting {
  struct mpipp_owner other;
  uint64_t own; // address of the request that the call starts; 0: it is the call's own buffer
  uint32_t buffer, own_buffer; // of the other, and of the call
  struct mpipp_doubt doubt;
};

// Whether the doubt was not asked for yet; all of these with the requests' lock.
int mpipp_filter_is_new_doubt(const struct mpipp_doubt *doubt);
// The same of a meeting, to whose doubt it adds what both calls are.
int mpipp_filter_is_new_meeting(const struct mpipp_call *call, struct mpipp_meeting *meeting);

// From now on it is not new: it is asked for, or nothing of it is wrong.
void mpipp_filter_remember(const struct mpipp_doubt *doubt);

// Whether the program waits for each answer: it stops where something is found (MPIPP_STOP), or
// does not make the call (MPIPP_STRICT), or the screens are to be checked, too
// (MPIPP_SCREENS=check).
extern int mpipp_filter_awaits_answers MPIPP_HIDDEN;
extern int mpipp_filter_checks_screens MPIPP_HIDDEN;
// Whether only operations on windows are looked at, for what the log's analysis cannot use
// (MPIPP_SCREENS=windows).
extern int mpipp_filter_windows MPIPP_HIDDEN;
// Returns 0 if no call is to be looked at (MPIPP_SCREENS=none).
int mpipp_filter_asking_open(void);

// Asks about the call that a thread is inside of; takes the lock itself. doubt: NULL if it is only
// asked for what it meets. Returns MPI's error class if it is not to be made.
int mpipp_filter_ask(const struct mpipp_thread *thread, const struct mpipp_doubt *doubt,
                     const struct mpipp_meeting *met, uint32_t count);
// Asks about a call that the screens have cleared, with all that is pending.
void mpipp_filter_ask_all(const struct mpipp_thread *thread);
// Whether it is the one that the run is to stop in.
int mpipp_filter_ask_place(const struct mpipp_thread *thread);
// How many calls were not cleared; counted where the screens are to be checked.
extern uint64_t mpipp_filter_not_cleared MPIPP_HIDDEN;

#endif
