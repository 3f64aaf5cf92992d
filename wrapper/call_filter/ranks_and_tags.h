// SPDX-License-Identifier: MIT
// Checks the ranks and tags of a call.
#ifndef MPIPP_CALL_FILTER_RANKS_AND_TAGS_H
#define MPIPP_CALL_FILTER_RANKS_AND_TAGS_H

#include "abi/compilers.h"
#include "abi/vendor.h"
#include "call_filter/buffer_bounds.h"
#include "registry/registry.h"

static inline int mpipp_is_rank(int64_t rank, int64_t size) {
  return MPIPP_LIKELY((uint64_t)rank < (uint64_t)size) || rank == MPI_PROC_NULL;
}

// Returns bits for the sides of a call whose rank is MPI_PROC_NULL: 1 for the send, 2 for the
// receive, both for a window's target. This side uses no memory (MPI-4.1, sections 3.10 and 12.3).
static inline uint64_t mpipp_proc_null_sides(const struct mpipp_call *call) {
  if (MPIPP_UNLIKELY(call->present & MPIPP_HAS_TARGET_RANK && call->target_rank == MPI_PROC_NULL))
    return 3;
  return (uint64_t)(call->present & MPIPP_HAS_DEST && call->dest == MPI_PROC_NULL) |
         (uint64_t)(call->present & MPIPP_HAS_SOURCE && call->source == MPI_PROC_NULL) << 1;
}
static inline int mpipp_is_proc_null(const struct mpipp_call *call, uint32_t writes) {
  return mpipp_proc_null_sides(call) >> (writes != 0) & 1;
}

// Returns whether all ranks and the tag are valid on that communicator, and none is a wildcard or
// MPI_PROC_NULL. Does not check a recvtag.
MPIPP_INLINE int mpipp_has_ranks(const struct mpipp_call *call, const struct mpipp_comm *comm) {
  const uint32_t present = call->present;
  const uint64_t size = (uint64_t)comm->size, tag_ub = (uint64_t)mpipp_registry.tag_ub;
  if (MPIPP_UNLIKELY(present & MPIPP_HAS_TAG && (uint64_t)call->tag > tag_ub)) return 0;
  if (MPIPP_UNLIKELY(present & MPIPP_HAS_DEST && (uint64_t)call->dest >= size)) return 0;
  if (MPIPP_UNLIKELY(present & MPIPP_HAS_SOURCE && (uint64_t)call->source >= size)) return 0;
  if (MPIPP_UNLIKELY(present & MPIPP_HAS_ROOT && (uint64_t)call->root >= size)) return 0;
  return 1;
}

// Returns whether ranks and tags are valid on that communicator; wildcards and MPI_PROC_NULL are
// allowed.
int mpipp_filter_has_plain_ranks(const struct mpipp_call *call, const struct mpipp_comm *comm,
                                 struct mpipp_doubt *doubt);

#endif
