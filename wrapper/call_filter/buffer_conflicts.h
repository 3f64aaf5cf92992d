// SPDX-License-Identifier: MIT
// Finds pending operations that use the same memory as a call, or as the operations that it starts.
// The caller holds the requests' lock (mpipp_lock_kind), unless one thread alone calls MPI.
#ifndef MPIPP_CALL_FILTER_BUFFER_CONFLICTS_H
#define MPIPP_CALL_FILTER_BUFFER_CONFLICTS_H

#include "call_filter/buffer_bounds.h"
#include "call_filter/caches/query_cache.h"
#include "call_filter/partitions.h"

enum { MPIPP_MOST_MEETINGS = 16 }; // the largest number of overlaps in one query

// The pending operations, and other threads' calls, that overlap a call.
struct mpipp_meetings {
  const struct mpipp_call *call;      // the call that is compared
  const struct mpipp_box *box;        // the box of one of its buffers
  const struct mpipp_run *partitions; // the partitions that are compared; NULL: the whole buffer
  uint64_t own;                       // address of the record of the request that the call starts;
                                      // 0: the call's own buffer
  struct mpipp_meeting met[MPIPP_MOST_MEETINGS];
  uint32_t own_buffer, count;
  int too_many;     // 1: more overlaps than one query has capacity for
  uint64_t started; // a number for the operations that MPI_Startall starts; 0: they are cleared, or
                    // there are none
};

void mpipp_filter_meetings_open(struct mpipp_meetings *meetings);

// From now on, keeps the boxes of pending operations in a table.
void mpipp_filter_keep_boxes(void);
void mpipp_filter_boxes_of(const struct mpipp_call *call, struct mpipp_own *boxes);
void mpipp_filter_add_pending(const struct mpipp_call *call, const struct mpipp_own *boxes,
                              struct mpipp_owner owner);

// Finds the operations that overlap a call with these boxes.
void mpipp_filter_meet_pending(const struct mpipp_call *call, const struct mpipp_own *boxes,
                               struct mpipp_owner owner, struct mpipp_meetings *meetings);
// Finds the operations that overlap the persistent operations that a call is about to start. The
// persistent operations may also overlap each other. Returns whether boxes of the started
// operations are kept now.
int mpipp_filter_meet_starting(const struct mpipp_call *call, struct mpipp_meetings *meetings);
// Keeps the boxes of the persistent operations that the call has started.
void mpipp_filter_keep_starts(const struct mpipp_call *call);
// Finds the operations that overlap the partitions that a call marks ready.
void mpipp_filter_meet_ready(const struct mpipp_call *call, struct mpipp_meetings *meetings);

// Remembers each overlap that was queried, or for which block-by-block comparison found no common
// byte.
void mpipp_filter_remember_meetings(const struct mpipp_call *call,
                                    const struct mpipp_meetings *meetings);

#endif
