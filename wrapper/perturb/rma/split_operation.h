// SPDX-License-Identifier: MIT
// Splits a one-sided operation into many smaller ones, which together have the same effect.
#ifndef MPIPP_PERTURB_RMA_SPLIT_OPERATION_H
#define MPIPP_PERTURB_RMA_SPLIT_OPERATION_H

#include "abi/vendor.h"
#include "registry/records.h"

enum mpipp_side { MPIPP_ORIGIN, MPIPP_RESULT, MPIPP_TARGET, MPIPP_SIDES };

// A run of `bytes` bytes that are adjacent on all sides. Offsets are relative to the buffers'
// addresses.
struct mpipp_run {
  int64_t at[MPIPP_SIDES];
  int64_t bytes;
};

struct mpipp_cuts {
  MPI_Datatype unit; // the datatype of a part's units: bytes, or elements of an accumulate
  int64_t unit_bytes;
  uint32_t run_count, count;
  uint32_t *first; // the index of the first run of each part, and the number of runs at the end
  struct mpipp_run runs[];
};

// Splits an operation. sides: its buffers, NULL for sides that it does not have. by_element: 1 if
// each element must stay whole. Returns NULL if there would be only one part, or too little is
// known.
struct mpipp_cuts *mpipp_perturb_cuts_new(const struct mpipp_buffer *const sides[MPIPP_SIDES],
                                          int by_element);
void mpipp_perturb_cuts_free(struct mpipp_cuts *cuts);

#endif
