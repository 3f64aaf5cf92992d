// SPDX-License-Identifier: MIT
// Recognizes calls that equal an earlier one that was fully checked, by a sum of all facts that
// decided.
#ifndef MPIPP_CALL_FILTER_CACHES_CALL_CACHE_H
#define MPIPP_CALL_FILTER_CACHES_CALL_CACHE_H

#include "call_filter/buffer_bounds.h"
#include "registry/object_store.h"
#include "registry/records.h"

// The communicator of the last plain call: usually this call has it, too.
extern const struct mpipp_comm *mpipp_filter_last_comm MPIPP_HIDDEN;
// Makes it this call's; returns 0 if it is an intercommunicator, or none.
int mpipp_filter_is_plain_comm(uint64_t handle);
// MPI is finalized: forgets everything, unless there is a session.
void mpipp_filter_forget_objects(void);

// The sums of a call. `call` has all facts that the filter's result depends on, except ranks, tags
// and addresses. `buffers` has the layouts; the boxes are beside them.
enum { MPIPP_MOST_SUMMED = 3 };
struct mpipp_sums {
  uint64_t call, buffers[MPIPP_MOST_SUMMED];
  struct mpipp_box boxes[MPIPP_MOST_SUMMED];
};

// Returns whether the sums exist: for calls with a plain communicator, or within a window of known
// size, with few buffers without arrays. Sets call->low and high: to all memory, if they do not.
int mpipp_filter_sum_up(struct mpipp_call *call, struct mpipp_sums *sums);

// Notes that nothing more has to be queried: for such calls; for such a buffer and a pending
// operation's.
void mpipp_filter_remember_clearance(uint64_t sum);
int mpipp_filter_was_cleared(uint64_t sum);
void mpipp_filter_remember_cleared_pair(const struct mpipp_call *call, uint32_t buffer,
                                        const struct mpipp_call *other, uint32_t others);

// Returns whether a call has no error that only operations on windows can have. Either it is none,
// or its target's window is known and contains the access, its datatypes are committed, and the
// data fits.
int mpipp_filter_is_in_window(const struct mpipp_call *call);

// Returns whether a call equals an earlier one, and so do all operations that it overlaps. Only
// with one thread, and few requests.
int mpipp_filter_is_repeated_call(struct mpipp_thread *thread);

#endif
