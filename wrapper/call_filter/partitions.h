// SPDX-License-Identifier: MIT
// Partitions of partitioned operations. A send's partition belongs to MPI once it is marked ready.
// A receive's belongs to the program again once the program knows that it has arrived.
#ifndef MPIPP_CALL_FILTER_PARTITIONS_H
#define MPIPP_CALL_FILTER_PARTITIONS_H

#include "call_filter/buffer_bounds.h"

// Consecutive partitions.
struct mpipp_run {
  int64_t first, count;
};

// The request whose partitions a call marks ready; NULL if it is not a partitioned send.
const struct mpipp_request *mpipp_filter_partitioned_send(const struct mpipp_call *call);

// Returns whether the request of such a call is a started send with these partitions, none of them
// marked ready.
int mpipp_filter_are_partitions(const struct mpipp_call *call);
// Returns whether the program may ask for the arrival of a partition.
int mpipp_filter_may_arrive(const struct mpipp_call *call);

// The next existing partitions that a call marks ready; at: 0 at first. Returns 0 if there are no
// more.
int mpipp_filter_next_run(const struct mpipp_call *call, const struct mpipp_request *request,
                          int64_t *at, struct mpipp_run *run);
// Their addresses; returns 0 if they are not certain.
int mpipp_filter_box_of_partitions(const struct mpipp_request *request, struct mpipp_run run,
                                   struct mpipp_box *box);

// Returns whether any bytes in the box may belong to the operation until it is complete. `doubt`
// has the partitions, if not all of them do.
int mpipp_filter_holds(const struct mpipp_request *request, const struct mpipp_box *box,
                       struct mpipp_doubt *doubt);

#endif
