// SPDX-License-Identifier: MIT
// Ranks and tags that a call is given.
#ifndef MPIPP_RANKS_H
#define MPIPP_RANKS_H

#include "mpi/vendor.h"
#include "screens/boxes.h"

static inline int mpipp_is_rank(int64_t rank, int64_t size) {
  return MPIPP_LIKELY((uint64_t)rank < (uint64_t)size) || rank == MPI_PROC_NULL;
}

// Whether ranks and tags are ones of that communicator, wildcards, or the null process.
int mpipp_has_plain_ranks(const struct mpipp_call *call, const struct mpipp_comm *comm,
                          struct mpipp_doubt *doubt);

#endif
