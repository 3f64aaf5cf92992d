// SPDX-License-Identifier: MIT
// Calls like others that were looked at in full: what that depended on is known by a sum.
#ifndef MPIPP_CALL_FILTER_CALL_CACHE_H
#define MPIPP_CALL_FILTER_CALL_CACHE_H

#include "call_filter/buffer_bounds.h"
#include "registry/object_store.h"
#include "registry/records.h"

// The communicator of the last plain call: mostly it is this one's, too.
extern const struct mpipp_comm *mpipp_filter_last_comm MPIPP_HIDDEN;
// Makes it this call's; returns 0 if that is an intercommunicator, or none.
int mpipp_filter_is_plain_comm(uint64_t handle);
// MPI is finalized: nothing is this call's, nor known, but while there is a session.
void mpipp_filter_know_no_object(void);

// The sums of a call: of all that its screen depends on but for ranks, tags and addresses, and of
// what a buffer's layout does; and where the buffers lie.
enum { MPIPP_MOST_SUMMED = 3 };
struct mpipp_sums {
  uint64_t call, buffers[MPIPP_MOST_SUMMED];
  struct mpipp_box boxes[MPIPP_MOST_SUMMED];
};

// Whether they can be told: of calls with a plain communicator, or within a window whose size is
// known, with few buffers without arrays.
// Sets call->low and high: to all memory, where they cannot.
int mpipp_filter_sum_up(struct mpipp_call *call, struct mpipp_sums *sums);

// That nothing more is to be asked: of such calls; of such a buffer and a pending operation's.
void mpipp_filter_know(uint64_t sum);
int mpipp_filter_is_known(uint64_t sum);
void mpipp_filter_know_meeting(const struct mpipp_call *call, uint32_t buffer,
                               const struct mpipp_call *other, uint32_t others);

// Whether nothing that only operations on windows are looked at for can be wrong with a call: it is
// none, or its target's window is known and reached, its datatypes are committed, and what it moves
// fits.
int mpipp_filter_is_in_window(const struct mpipp_call *call);

// Whether a call is like one before, and so is all that it meets. With one thread only, and few
// requests.
int mpipp_filter_is_like_before(struct mpipp_thread *thread);

#endif
