// SPDX-License-Identifier: MIT
// Finds the pending operations that use the memory of a call, or of the operations that it starts.
// All functions need the requests' lock (mpipp_lock_kind), or a single thread.
#ifndef MPIPP_CALL_FILTER_BUFFER_CONFLICTS_H
#define MPIPP_CALL_FILTER_BUFFER_CONFLICTS_H

#include "call_filter/buffer_bounds.h"
#include "call_filter/caches/query_cache.h"
#include "call_filter/partitions.h"

enum { MPIPP_MOST_MEETINGS = 16 }; // in one query

// The requests, and the other threads' calls, that overlap a call.
struct mpipp_meetings {
  const struct mpipp_call *call;      // the call whose boxes are searched for,
  const struct mpipp_box *box;        // this box,
  const struct mpipp_run *partitions; // with these partitions; NULL: all of the buffer
  uint64_t own;                       // address of the request that is started; 0: the call itself
  struct mpipp_meeting met[MPIPP_MOST_MEETINGS];
  uint32_t own_buffer, count;
  int too_many;     // for one query
  uint64_t started; // stands for the operations that MPI_Startall starts; 0: known, or none
};

void mpipp_filter_meetings_open(struct mpipp_meetings *meetings);

// Boxes are kept from now on.
void mpipp_filter_keep_boxes(void);
void mpipp_filter_boxes_of(const struct mpipp_call *call, struct mpipp_own *boxes);
void mpipp_filter_add_pending(const struct mpipp_call *call, const struct mpipp_own *boxes,
                              struct mpipp_owner owner);

// Finds the operations that overlap a call with these boxes.
void mpipp_filter_meet_pending(const struct mpipp_call *call, const struct mpipp_own *boxes,
                               struct mpipp_owner owner, struct mpipp_meetings *meetings);
// Finds the operations that overlap the persistent operations that a call is about to start. These
// may also overlap each other. Returns whether their boxes are kept now.
int mpipp_filter_meet_starting(const struct mpipp_call *call, struct mpipp_meetings *meetings);
// They have started: their boxes are kept.
void mpipp_filter_keep_starts(const struct mpipp_call *call);
// Finds the operations that overlap the partitions that a call marks ready.
void mpipp_filter_meet_ready(const struct mpipp_call *call, struct mpipp_meetings *meetings);

// Remembers each operation that was queried, or shares no memory.
void mpipp_filter_remember_meetings(const struct mpipp_call *call,
                                    const struct mpipp_meetings *meetings);

#endif
