// SPDX-License-Identifier: MIT
// A one-sided operation as many smaller ones, which together do the same.
#ifndef MPIPP_PERTURB_RMA_SPLIT_OPERATION_H
#define MPIPP_PERTURB_RMA_SPLIT_OPERATION_H

#include "abi/vendor.h"
#include "registry/records.h"

enum mpipp_side { MPIPP_ORIGIN, MPIPP_RESULT, MPIPP_TARGET, MPIPP_SIDES };

// `bytes` bytes, which follow each other on all sides; offsets from the buffers' addresses.
struct mpipp_run {
  int64_t at[MPIPP_SIDES];
  int64_t bytes;
};

struct mpipp_cuts {
  MPI_Datatype unit; // what they consist of: bytes, or elements of an accumulate
  int64_t unit_bytes;
  uint32_t run_count, count;
  uint32_t *first; // run of each, and where the last one ends
  struct mpipp_run runs[];
};

// sides: the buffers, NULL where the operation has none; by_element: each element goes over at
// once. NULL: it is one piece, or not known well enough.
struct mpipp_cuts *mpipp_perturb_cuts_new(const struct mpipp_buffer *const sides[MPIPP_SIDES],
                                          int by_element);
void mpipp_perturb_cuts_free(struct mpipp_cuts *cuts);

#endif
