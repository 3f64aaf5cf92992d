// SPDX-License-Identifier: MIT
// Recognizes calls that equal an earlier call that was fully checked. A call is identified by a sum
// of all facts on which the result depended.
#ifndef MPIPP_CALL_FILTER_CACHES_CALL_CACHE_H
#define MPIPP_CALL_FILTER_CACHES_CALL_CACHE_H

#include "call_filter/buffer_bounds.h"
#include "registry/object_store.h"
#include "registry/records.h"

// The communicator of the last plain call: usually the next call has the same one.
extern const struct mpipp_comm *mpipp_filter_last_comm MPIPP_HIDDEN;
// Sets mpipp_filter_last_comm to the handle's communicator. Returns 0 if it is an
// intercommunicator, or not live.
int mpipp_filter_is_plain_comm(uint64_t handle);
// Forgets all last objects when MPI was finalized, unless a session exists.
void mpipp_filter_forget_objects(void);

// The sums of a call. `call` includes all facts that the filter's result depends on, except ranks,
// tags and addresses. `buffers` has the layout of each buffer, and the boxes are beside them.
enum { MPIPP_MOST_SUMMED = 3 };
struct mpipp_sums {
  uint64_t call, buffers[MPIPP_MOST_SUMMED];
  struct mpipp_box boxes[MPIPP_MOST_SUMMED];
};

// Computes the sums. Returns 0 for calls that have none: those without a plain communicator or
// known window, with many buffers, or with arrays. Also sets call->low and high to the box of all
// buffers; without sums, to all of memory.
int mpipp_filter_sum_up(struct mpipp_call *call, struct mpipp_sums *sums);

// mpipp_filter_remember_clearance: a call with this sum needs no more queries.
// mpipp_filter_remember_cleared_pair: an overlap of this buffer of the call with a pending
// operation's buffer needs none.
void mpipp_filter_remember_clearance(uint64_t sum);
int mpipp_filter_was_cleared(uint64_t sum);
void mpipp_filter_remember_cleared_pair(const struct mpipp_call *call, uint32_t buffer,
                                        const struct mpipp_call *other, uint32_t others);

// Returns whether a call is free of errors that only operations on windows can have. Either it is
// no such operation; or the target's window is known and contains the access, the datatypes are
// committed, and the data fits.
int mpipp_filter_is_in_window(const struct mpipp_call *call);

// Returns whether a call equals an earlier one, and overlaps the same operations as that one. Works
// only with one thread, and few requests.
int mpipp_filter_is_repeated_call(struct mpipp_thread *thread);

#endif
