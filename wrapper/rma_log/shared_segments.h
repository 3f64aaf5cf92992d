// SPDX-License-Identifier: MIT
// The addresses in this process of the parts of all processes in a window of shared memory.
#ifndef MPIPP_RMA_LOG_SHARED_SEGMENTS_H
#define MPIPP_RMA_LOG_SHARED_SEGMENTS_H

#include "abi/seam.h"
#include "generated/procedures.h"
#include "registry/records.h"

struct mpipp_segment {
  uint64_t low, bytes;
}; // bytes 0: there is none

// Returns whether the program queries segments by this call. The call orders nothing, even if MPI
// refuses it.
static inline int mpipp_asks_for_segments(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Win_shared_query ||
         call->procedure == MPIPP_PROC_Win_shared_query_c;
}

// The number of ranks to query when the window has just been made: 0 if its memory is not shared.
MPIPP_SEAM int mpipp_rma_segment_count(const struct mpipp_win *win);
// The number of ranks for other windows, when a query of others' memory has succeeded. It is
// nonzero only the first time that this user asks.
enum mpipp_segment_user { MPIPP_SEGMENTS_LOGGED = 1, MPIPP_SEGMENTS_LOOKED_AT = 2 };
MPIPP_SEAM int mpipp_rma_query_segment_count(const struct mpipp_call *call, struct mpipp_win *win,
                                             enum mpipp_segment_user user);
MPIPP_SEAM struct mpipp_segment mpipp_rma_segment_of(const struct mpipp_win *win, int rank);

#endif
