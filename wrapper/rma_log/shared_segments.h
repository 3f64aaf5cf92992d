// SPDX-License-Identifier: MIT
// The parts of all processes in a window of shared memory, at their addresses in this process.
#ifndef MPIPP_RMA_LOG_SHARED_SEGMENTS_H
#define MPIPP_RMA_LOG_SHARED_SEGMENTS_H

#include "abi/seam.h"
#include "generated/procedures.h"
#include "registry/records.h"

struct mpipp_segment {
  uint64_t low, bytes;
}; // bytes 0: there is no such part

// Returns whether the program queries the parts by this call. The call orders nothing, even if MPI
// rejects it.
static inline int mpipp_asks_for_segments(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Win_shared_query ||
         call->procedure == MPIPP_PROC_Win_shared_query_c;
}

// The number of parts of a window that was just created; 0 if its memory is not shared.
MPIPP_SEAM int mpipp_rma_segment_count(const struct mpipp_win *win);
// The number of parts of another window, after the program has successfully queried other
// processes' memory. The number is nonzero only for the first query of each user.
enum mpipp_segment_user { MPIPP_SEGMENTS_LOGGED = 1, MPIPP_SEGMENTS_LOOKED_AT = 2 };
MPIPP_SEAM int mpipp_rma_query_segment_count(const struct mpipp_call *call, struct mpipp_win *win,
                                             enum mpipp_segment_user user);
MPIPP_SEAM struct mpipp_segment mpipp_rma_segment_of(const struct mpipp_win *win, int rank);

#endif
