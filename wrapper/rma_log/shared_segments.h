// SPDX-License-Identifier: MIT
// Where this process has the parts of all processes in a window of memory that they share.
#ifndef MPIPP_RMA_LOG_SHARED_SEGMENTS_H
#define MPIPP_RMA_LOG_SHARED_SEGMENTS_H

#include "generated/procedures.h"
#include "registry/records.h"

struct mpipp_segment {
  uint64_t low, bytes;
}; // bytes 0: there is none

// Whether a call asks for them itself. It orders nothing, whether MPI refuses it or not.
static inline int mpipp_asks_for_segments(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Win_shared_query ||
         call->procedure == MPIPP_PROC_Win_shared_query_c;
}

// How many ranks there are to ask for, when the window has just been made: 0 if its memory is not
// shared.
int mpipp_rma_segment_count(const struct mpipp_win *win);
// The same of other windows, when a call that asks for others' memory has succeeded: 0 but for the
// first time that this one wants to know.
enum mpipp_segment_user { MPIPP_SEGMENTS_LOGGED = 1, MPIPP_SEGMENTS_LOOKED_AT = 2 };
int mpipp_rma_segment_count_queried(const struct mpipp_call *call, struct mpipp_win *win,
                                    enum mpipp_segment_user user);
struct mpipp_segment mpipp_rma_segment_of(const struct mpipp_win *win, int rank);

#endif
