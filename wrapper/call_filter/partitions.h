// SPDX-License-Identifier: MIT
// Partitions of sends, which are MPI's once they are marked ready, and of receives, which are the
// program's again once it is told that they have arrived.
#ifndef MPIPP_CALL_FILTER_PARTITIONS_H
#define MPIPP_CALL_FILTER_PARTITIONS_H

#include "call_filter/buffer_bounds.h"

// Partitions that follow each other.
struct mpipp_run {
  int64_t first, count;
};

// The request that a call marks partitions ready of; NULL if that is no partitioned send.
const struct mpipp_request *mpipp_filter_partitioned_send(const struct mpipp_call *call);

// Whether the request of such a call is that of a send that has begun, and has the partitions, and
// none of them is marked ready.
int mpipp_filter_are_partitions(const struct mpipp_call *call);
// Whether a partition may be asked for.
int mpipp_filter_may_arrive(const struct mpipp_call *call);

// The next of the partitions that a call marks ready, of those that there are; at: 0 at first.
// Returns 0 if there are no more.
int mpipp_filter_next_run(const struct mpipp_call *call, const struct mpipp_request *request,
                          int64_t *at, struct mpipp_run *run);
// Where they lie; returns 0 if that is not certain.
int mpipp_filter_box_of_partitions(const struct mpipp_request *request, struct mpipp_run run,
                                   struct mpipp_box *box);

// Whether any bytes in the box may be the operation's until it is complete. `doubt` has which
// partitions are, if not all.
int mpipp_filter_holds(const struct mpipp_request *request, const struct mpipp_box *box,
                       struct mpipp_doubt *doubt);

#endif
