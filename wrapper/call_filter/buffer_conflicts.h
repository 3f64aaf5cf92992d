// SPDX-License-Identifier: MIT
// Which pending operations use the memory of a call, or of the operations that it starts. All of
// these with the requests' lock (mpipp_lock_kind), or by one thread.
#ifndef MPIPP_CALL_FILTER_BUFFER_CONFLICTS_H
#define MPIPP_CALL_FILTER_BUFFER_CONFLICTS_H

#include "call_filter/buffer_bounds.h"
#include "call_filter/partitions.h"
#include "call_filter/query_cache.h"

enum { MPIPP_MOST_MEETINGS = 16 }; // in one question

// The requests, and the other threads' calls, that meet a call.
struct mpipp_meetings {
  const struct mpipp_call *call;      // whose boxes are looked at,
  const struct mpipp_box *box;        // this one,
  const struct mpipp_run *partitions; // of these; NULL: all of the buffer
  uint64_t own;                       // address of the request that is started; 0: the call itself
  struct mpipp_meeting met[MPIPP_MOST_MEETINGS];
  uint32_t own_buffer, count;
  int too_many;     // for one question
  uint64_t started; // stands for the operations that MPI_Startall starts; 0: known, or none
};

void mpipp_filter_meetings_open(struct mpipp_meetings *meetings);

// Boxes are kept from now on.
void mpipp_filter_keep_boxes(void);
void mpipp_filter_boxes_of(const struct mpipp_call *call, struct mpipp_own *boxes);
void mpipp_filter_add_pending(const struct mpipp_call *call, const struct mpipp_own *boxes,
                              struct mpipp_owner owner);

// What meets a call that has these boxes.
void mpipp_filter_meet_pending(const struct mpipp_call *call, const struct mpipp_own *boxes,
                               struct mpipp_owner owner, struct mpipp_meetings *meetings);
// What meets the persistent operations that a call is about to start; they may meet each other.
// Returns whether their boxes are kept now.
int mpipp_filter_meet_starting(const struct mpipp_call *call, struct mpipp_meetings *meetings);
// They have started: their boxes are kept.
void mpipp_filter_keep_started(const struct mpipp_call *call);
// What meets the partitions that a call marks ready.
void mpipp_filter_meet_ready(const struct mpipp_call *call, struct mpipp_meetings *meetings);

// Each one that was asked about, or was found to share no memory, is known from now on.
void mpipp_filter_know_meetings(const struct mpipp_call *call,
                                const struct mpipp_meetings *meetings);

#endif
