// SPDX-License-Identifier: MIT
// Partitions of partitioned operations. A send's partition belongs to MPI once it is marked ready.
// A receive's partition belongs to the program again once the program knows that it has arrived.
#ifndef MPIPP_CALL_FILTER_PARTITIONS_H
#define MPIPP_CALL_FILTER_PARTITIONS_H

#include "call_filter/buffer_bounds.h"

// A run of consecutive partitions.
struct mpipp_run {
  int64_t first, count;
};

// The record of the request whose partitions a call marks ready; NULL if it is not a partitioned
// send.
const struct mpipp_request *mpipp_filter_partitioned_send(const struct mpipp_call *call);

// Returns whether the call's request is a started send that has these partitions, and none of them
// is marked ready.
int mpipp_filter_are_partitions(const struct mpipp_call *call);
// Returns whether the program may call MPI_Parrived for the partition.
int mpipp_filter_may_arrive(const struct mpipp_call *call);

// Finds the next run of existing partitions that a call marks ready. *at: 0 for the first. Returns
// 0 if there are no more.
int mpipp_filter_next_run(const struct mpipp_call *call, const struct mpipp_request *request,
                          int64_t *at, struct mpipp_run *run);
// The box of a run of partitions. Returns 0 if it is not certain.
int mpipp_filter_box_of_partitions(const struct mpipp_request *request, struct mpipp_run run,
                                   struct mpipp_box *box);

// Returns whether bytes in the box may belong to the operation now. If only some partitions in the
// box belong to the operation, adds them to `doubt`.
int mpipp_filter_holds(const struct mpipp_request *request, const struct mpipp_box *box,
                       struct mpipp_doubt *doubt);

#endif
